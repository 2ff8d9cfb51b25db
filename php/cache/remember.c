/* cache/remember.c: remember(): one process computes a missing value, the others wait for it (leveret_compute_next). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "base/clock.h"
#include "base/refused.h"
#include "access.h"

/* False: an exception is pending (exit() counts as one). A fatal error does not come back here. */
static bool cache_call_back(zend_fcall_info *call, zend_fcall_info_cache *callee, zend_string *key, zval *value)
{
	zval argument;
	ZVAL_STR(&argument, key);
	ZVAL_UNDEF(value);
	call->retval = value;
	call->params = &argument;
	call->param_count = 1;
	zend_call_function(call, callee);
	if (UNEXPECTED(EG(exception)) || UNEXPECTED(Z_ISUNDEF_P(value))) {
		zval_ptr_dtor(value);
		ZVAL_UNDEF(value);
		return false;
	}
	if (Z_ISREF_P(value)) {
		zend_unwrap_reference(value);
	}
	return true;
}

/* The value is at hand, so an arena that cannot take it is worth no exception: the log says so. */
static void cache_keep(cache_object *cache, zend_string *key, zval *value, const cache_ttl *ttl)
{
	cache_store_request request = { .key = key, .value = value, .mode = LEVERET_SET };
	size_t len = 0;
	if (!php_leveret_cache_deadline(ttl, &request.deadline)) {
		return;
	}
	leveret_status status = php_leveret_cache_store(cache, &request, &len);
	if (status == LEVERET_TOO_LARGE) {
		php_leveret_tell_too_large(cache->arena, len);
	} else if (!EG(exception) && status != LEVERET_OK && status != LEVERET_BUSY && status != LEVERET_NO_MEMORY) {
		php_leveret_cache_throw(cache, status, key, len);
	}
}

ZEND_METHOD(Leveret_Cache, remember)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	cache_ttl ttl = CACHE_TTL_NONE;
	zend_fcall_info call;
	zend_fcall_info_cache callee;
	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR(key)
		CACHE_PARAM_TTL(ttl)
		Z_PARAM_FUNC(call, callee)
	ZEND_PARSE_PARAMETERS_END();
	if (cache_fetch(cache, key, return_value) || EG(exception)) {
		return;
	}

	/* Kept apart from cache->arena, which the callback may reopen: a lease is released at its own arena. */
	leveret_arena *arena = cache->arena;
	leveret_compute compute = { 0 };
	leveret_step step;
	bool done = false;
	while (
		!done && (step = leveret_compute_next(arena, php_leveret_string(key), 0, &compute)) != LEVERET_STEP_COMPUTE) {
		done = (step == LEVERET_STEP_LOOK && cache_fetch(cache, key, return_value)) || EG(exception)
			|| UNEXPECTED(php_leveret_interrupted());
	}
	if (!done && cache_call_back(&call, &callee, key, return_value)) {
		cache_keep(cache, key, return_value, &ttl);
	}
	leveret_compute_end(arena, &compute);
}
