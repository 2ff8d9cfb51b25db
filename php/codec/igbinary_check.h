/* codec/igbinary_check.h: whether data is what igbinary writes. */
#ifndef PHP_LEVERET_IGBINARY_CHECK_H
#define PHP_LEVERET_IGBINARY_CHECK_H

#include "php.h"

/* Creates no value, runs no user code. False: the data is damaged, and igbinary might crash on it, or its cost is above
 * the limit (cost.h). */
bool php_leveret_igbinary_check(const char *data, size_t len, size_t cost_max);

#endif
