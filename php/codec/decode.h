/* codec/decode.h: the bytes of any entrance as a value of PHP. */
#ifndef PHP_LEVERET_DECODE_H
#define PHP_LEVERET_DECODE_H

#include "php.h"
#include "leveret.h"

/* Options of the reader: JSON objects as stdClass, not as arrays; msgpack's objects from any writer: see
 * msgpack_check.c. And for data that came over no socket: a process that may use this arena has stored it. */
#define PHP_LEVERET_JSON_OBJECTS 1
#define PHP_LEVERET_MSGPACK_OBJECTS 2
#define PHP_LEVERET_TRUSTED 4

typedef enum php_leveret_decoding {
	PHP_LEVERET_DECODED,
	PHP_LEVERET_UNKNOWN_FLAGS,
	PHP_LEVERET_NOT_DECOMPRESSED,
	PHP_LEVERET_NOT_UNSERIALIZED
} php_leveret_decoding;

/* Whether the value is its bytes for every reader, as with most items. */
static zend_always_inline bool php_leveret_is_string(const leveret_meta *meta)
{
	return meta->flags == 0 && meta->encoding == LEVERET_RAW && meta->codec == LEVERET_CODEC_NONE;
}

/* Translates (leveret_translate), decompresses and decodes; runs user code. `reader`: LEVERET_PECL_MEMCACHED,
 * LEVERET_PECL_MEMCACHE, or LEVERET_NATIVE, which ignores flags that no PHP client writes: then the value is its bytes.
 * Takes ownership of `data`. Not DECODED: *value is not set, and an exception is pending, or the caller warns with
 * *problem. */
php_leveret_decoding php_leveret_decode(
	const leveret_meta *meta, leveret_origin reader, zend_string *data, int wanted, zval *value, const char **problem);
/* The warning of the native entrances, unless an exception is pending. */
void php_leveret_decoding_failed(php_leveret_decoding decoding, const char *problem);

/* The float that a text says; INF, NAN and their longer names are known. */
double php_leveret_text_to_double(const char *text);

#endif
