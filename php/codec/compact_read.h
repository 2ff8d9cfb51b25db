/* codec/compact_read.h: the compact form as arrays. */
#ifndef PHP_LEVERET_CODEC_COMPACT_READ_H
#define PHP_LEVERET_CODEC_COMPACT_READ_H

#include "php.h"

/* Runs no user code. False: the data is damaged, and *return_value is undefined. */
bool php_leveret_compact_read(const char *data, size_t len, zval *return_value);

#endif
