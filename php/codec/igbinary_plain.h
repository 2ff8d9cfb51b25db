/* codec/igbinary_plain.h: a quick reader of igbinary's format. */
#ifndef PHP_LEVERET_CODEC_IGBINARY_PLAIN_H
#define PHP_LEVERET_CODEC_IGBINARY_PLAIN_H

#include "php.h"

/* False: *return_value is undefined, as before, and igbinary is to decide, if igbinary_check.h lets it, unless memory
 * is too short for it. */
bool php_leveret_read_igbinary_plain(const char *data, size_t len, size_t cost_max, zval *return_value, bool *is_short);

#endif
