/* codec/compact_write.h: arrays and objects in the compact form. */
#ifndef PHP_LEVERET_CODEC_COMPACT_WRITE_H
#define PHP_LEVERET_CODEC_COMPACT_WRITE_H

#include "php.h"

/* Makes a block of the request's heap of *len bytes; runs no user code. NULL: the form cannot say what is in the value, an
 * array or an object (objects that are more than their properties or come twice, references, resources, deep nesting), or
 * memory is too short for it. */
uint8_t *php_leveret_compact_write(const zval *value, size_t *len);

#endif
