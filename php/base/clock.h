/* base/clock.h: for waits: the clock, and conditions that end a wait. */
#ifndef PHP_LEVERET_BASE_CLOCK_H
#define PHP_LEVERET_BASE_CLOCK_H

#include "php.h"

#include <stdint.h>
#include <time.h>

/* For measuring waits: only differences are meaningful. */
static inline uint64_t php_leveret_microseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

/* Between two naps of a wait: does what PHP does between two instructions when its time limit or a signal asks. True:
 * an exception is pending, and the wait is over. Runs user code, and does not come back after the time limit: the
 * caller holds nothing. */
static inline bool php_leveret_interrupted(void)
{
	if (EXPECTED(!zend_atomic_bool_load_ex(&EG(vm_interrupt)))) {
		return false;
	}
	zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
	if (zend_atomic_bool_load_ex(&EG(timed_out))) {
		zend_timeout();
	}
	if (zend_interrupt_function) {
		zend_interrupt_function(EG(current_execute_data));
	}
	return EG(exception) != NULL;
}

#endif
