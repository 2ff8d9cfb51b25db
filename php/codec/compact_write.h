/* codec/compact_write.h: plain arrays in the compact form. */
#ifndef PHP_LEVERET_CODEC_COMPACT_WRITE_H
#define PHP_LEVERET_CODEC_COMPACT_WRITE_H

#include "php.h"

/* Makes a block of the request's heap of *len bytes; runs no user code. NULL: the array has parts that the form lacks
 * (objects, references, resources, deep nesting), or memory is too short for it. */
uint8_t *php_leveret_compact_write(const zend_array *array, size_t *len);

#endif
