/* codec/compact_read.h: the compact form as arrays. */
#ifndef PHP_LEVERET_CODEC_COMPACT_READ_H
#define PHP_LEVERET_CODEC_COMPACT_READ_H

#include "php.h"

/* Runs no user code. False: the data is damaged, or costs more than that (cost.h), and *return_value is undefined. */
bool php_leveret_compact_read(const char *data, size_t len, size_t cost_max, zval *return_value);

#endif
