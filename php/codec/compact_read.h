/* codec/compact_read.h: the compact form as arrays and objects. */
#ifndef PHP_LEVERET_CODEC_COMPACT_READ_H
#define PHP_LEVERET_CODEC_COMPACT_READ_H

#include "php.h"

typedef enum php_leveret_compact {
	PHP_LEVERET_COMPACT_READ,
	PHP_LEVERET_COMPACT_DAMAGED, /* or an exception is pending */
	PHP_LEVERET_COMPACT_FOR_PHP  /* an object's class is not there, not allowed, not plain any more, or has other types:
									unserialize() says what becomes of it */
} php_leveret_compact;

typedef struct compact_reader compact_reader;

/* How objects are made: codec/compact_objects.c. */
typedef struct php_leveret_compact_objects {
	/* An object, or a case of an enumeration. Runs user code (autoloaders, constant expressions). False: *to is not
	 * set. */
	bool (*read)(compact_reader *from, uint8_t tag, zval *to);
} php_leveret_compact_objects;

/* `allowed`: names of classes in lower case, NULL: all. Where objects are in it, runs user code (autoloaders, constant
 * expressions). Not READ: *return_value is undefined. */
php_leveret_compact php_leveret_compact_read(
	const char *data, size_t len, HashTable *allowed, const php_leveret_compact_objects *objects, zval *return_value);

#endif
