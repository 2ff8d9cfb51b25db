/* codec/serializer.h: arrays and objects as bytes. */
#ifndef PHP_LEVERET_CODEC_SERIALIZER_H
#define PHP_LEVERET_CODEC_SERIALIZER_H

#include "base/globals.h"
#include "codec/value.h"

/* Appends nothing, replaces nothing: *out is a new block of the request's heap that holds `bytes`. False: an exception
 * is pending. */
bool php_leveret_serialize(zval *value, bool of_apcu, php_leveret_encoded *out);
/* The same by a serializer of the caller's choice, which must be there. */
bool php_leveret_serialize_as(leveret_encoding encoding, zval *value, php_leveret_encoded *out);
bool php_leveret_has_serializer(leveret_encoding encoding);
/* Whether a native entrance stores with msgpack. */
bool php_leveret_wants_msgpack(bool of_apcu);
/* False: *return_value is not set; an exception is pending, or the data is not readable or not allowed, as *problem
 * says (NULL: all was read, and then user code has thrown). data[len] is NUL. `wanted`: PHP_LEVERET_TRUSTED and
 * PHP_LEVERET_MSGPACK_OBJECTS (decode.h). */
bool php_leveret_unserialize(
	uint8_t encoding, const char *data, size_t len, int wanted, zval *return_value, const char **problem);
const char *php_leveret_serializers(void); /* for phpinfo: "php, igbinary" */
void php_leveret_allowed_classes_free(zend_leveret_globals *globals);

#endif
