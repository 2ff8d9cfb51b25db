/* apcu/entry.c: apcu_entry: one process computes a missing value, the others wait for it (leveret_compute_next). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "base/clock.h"
#include "codec/value.h"
#include "apcu.h"

/* Counts nothing: the first look of the call has counted its miss. True: *return_value is set, or an exception is
 * pending. */
static bool look_again(leveret_arena *arena, zend_string *key, zval *return_value)
{
	leveret_reading reading;
	return (leveret_read_begin(arena, php_leveret_string(key), LEVERET_READ_UNTRACED, 0, apcu_now(), &reading)
				   == LEVERET_OK
			   && php_leveret_read(arena, key, &reading, return_value) == PHP_LEVERET_HIT)
		|| UNEXPECTED(EG(exception));
}

/* True: *return_value is set, or an exception is pending. False: this process is to compute. */
static bool wait_for_value(leveret_arena *arena, zend_string *key, zval *return_value, leveret_compute *compute)
{
	leveret_step step;
	if (php_leveret_fetch_value(arena, key, apcu_now(), return_value) == PHP_LEVERET_HIT || UNEXPECTED(EG(exception))) {
		return true;
	}
	while ((step = leveret_compute_next(arena, php_leveret_string(key), apcu_now(), compute)) != LEVERET_STEP_COMPUTE) {
		if ((step == LEVERET_STEP_LOOK && look_again(arena, key, return_value))
			|| UNEXPECTED(php_leveret_interrupted())) {
			return true;
		}
	}
	return false;
}

PHP_FUNCTION(apcu_entry)
{
	zend_string *key;
	zend_fcall_info call;
	zend_fcall_info_cache callee;
	zend_long ttl = 0;
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(key)
		Z_PARAM_FUNC(call, callee)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(ttl)
	ZEND_PARSE_PARAMETERS_END();

	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	leveret_compute compute = { 0 };
	if (!arena) {
		return;
	}
	/* An exit or a fatal error in the callback jumps past the end: RSHUTDOWN then releases the lease. */
	if (!wait_for_value(arena, key, return_value, &compute)) {
		zval argument;
		ZVAL_STR(&argument, key);
		call.retval = return_value;
		call.params = &argument;
		call.param_count = 1;
		if (zend_call_function(&call, &callee) == SUCCESS && !EG(exception)) {
			if (UNEXPECTED(Z_ISREF_P(return_value))) {
				zend_unwrap_reference(return_value);
			}
			/* Never over a value that the callback itself, or another process, has stored meanwhile. */
			php_leveret_apcu_store_value(arena, php_leveret_string(key), return_value, ttl, LEVERET_ADD, apcu_now());
		}
	}
	leveret_compute_end(arena, &compute);
}
