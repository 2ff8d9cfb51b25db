/* decode.h: the bytes of any entrance as a value of PHP. */
#ifndef PHP_LEVERET_DECODE_H
#define PHP_LEVERET_DECODE_H

#include "php_leveret.h"

/* Translates (leveret_translate), decompresses and decodes; runs user code. `reader`: LEVERET_PECL_MEMCACHED, LEVERET_PECL_MEMCACHE, or
 * LEVERET_NATIVE, to which flags of nobody are no matter: then the value is its bytes. JSON becomes arrays, or objects of stdClass.
 * Takes `data` over. False: *value is not set; flags that nobody writes, or the data is damaged, too large or not allowed (a warning
 * was given), or an exception is pending. */
bool php_leveret_decode(const leveret_meta *meta, leveret_origin reader, zend_string *data, bool json_objects, zval *value);

/* The float that a text says; INF, NAN and their longer names are known. */
double php_leveret_text_to_double(const char *text);

#endif
