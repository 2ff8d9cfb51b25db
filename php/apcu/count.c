/* apcu/count.c: apcu_inc, apcu_dec, apcu_cas. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "apcu.h"

static zend_always_inline void count_function(INTERNAL_FUNCTION_PARAMETERS, bool down)
{
	zend_string *key;
	zend_long step = 1, ttl = 0;
	zval *success = NULL;
	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(step)
		Z_PARAM_ZVAL(success)
		Z_PARAM_LONG(ttl)
	ZEND_PARSE_PARAMETERS_END();

	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	int64_t result = 0;
	bool counted = false;
	if (EXPECTED(arena)) {
		/* Negated as unsigned: -PHP_INT_MIN wraps, as the addition does. */
		int64_t delta = down ? (int64_t) (0 - (uint64_t) step) : step;
		leveret_status status = leveret_count(arena, php_leveret_string(key), delta, LEVERET_NATIVE, true,
			php_leveret_apcu_deadline(ttl, now), now, &result);
		counted = apcu_noticed(arena, php_leveret_stored(arena, status, sizeof(result))) == LEVERET_OK;
	}
	if (success) {
		ZEND_TRY_ASSIGN_REF_BOOL(success, counted);
	}
	if (UNEXPECTED(!counted)) {
		RETURN_FALSE;
	}
	RETURN_LONG((zend_long) result);
}

PHP_FUNCTION(apcu_inc)
{
	count_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

PHP_FUNCTION(apcu_dec)
{
	count_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

PHP_FUNCTION(apcu_cas)
{
	zend_string *key;
	zend_long old_value, new_value;
	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR(key)
		Z_PARAM_LONG(old_value)
		Z_PARAM_LONG(new_value)
	ZEND_PARSE_PARAMETERS_END();

	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	RETURN_BOOL(arena
		&& apcu_noticed(
			   arena, leveret_swap_integer(arena, php_leveret_string(key), old_value, new_value, LEVERET_NATIVE, now))
			== LEVERET_OK);
}
