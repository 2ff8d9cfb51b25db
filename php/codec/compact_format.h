/* codec/compact_format.h: the compact form of plain arrays, byte by byte in docs/array-format.md. Its tags and bounds are
 * in leveret.h. */
#ifndef PHP_LEVERET_CODEC_COMPACT_FORMAT_H
#define PHP_LEVERET_CODEC_COMPACT_FORMAT_H

#include "php.h"
#include "leveret.h"

static zend_always_inline bool php_leveret_is_compact(const char *data, size_t len)
{
	return len > LEVERET_COMPACT_HEAD_LEN && (uint8_t) data[0] == LEVERET_COMPACT_MAGIC
		&& (data[1] == LEVERET_COMPACT_PLAIN || data[1] == LEVERET_COMPACT_WITH_OBJECTS);
}

#endif
