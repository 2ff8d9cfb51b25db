/* base/clock.h: the clock of those who wait. */
#ifndef PHP_LEVERET_BASE_CLOCK_H
#define PHP_LEVERET_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* For how long somebody has waited: of no use but in differences. */
static inline uint64_t php_leveret_microseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

#endif
