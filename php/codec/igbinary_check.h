/* codec/igbinary_check.h: whether data is what igbinary writes. */
#ifndef PHP_LEVERET_IGBINARY_CHECK_H
#define PHP_LEVERET_IGBINARY_CHECK_H

#include "php.h"

/* Makes nothing, runs no user code. False: the data is damaged, and igbinary might not survive it,
 * or what it becomes costs more than that (cost.h). */
bool php_leveret_igbinary_check(const char *data, size_t len, size_t cost_max);

#endif
