/* memcached/delayed.c: getDelayed(), fetch() and fetchAll(). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "memcached.h"

/* ["key", "value"], with cas tokens also "cas" and "flags". False: it does not decode. */
static bool give_element(memc_object *self, client_copy *copy, zval *element)
{
	zval value;
	if (!php_leveret_memc_give_value(self, copy, false, &value)) {
		return false;
	}
	array_init_size(element, 4);
	add_assoc_str(element, "key", zend_string_copy(copy->key));
	add_assoc_zval(element, "value", &value);
	if (copy->cas) {
		add_assoc_long(element, "cas", (zend_long) copy->cas);
		add_assoc_long(element, "flags", php_leveret_memc_user_flags(&copy->meta));
	}
	return true;
}

/* The code at the end of a delayed get that has found nothing more. What getLastError...() tell of a failure stays. */
static void end_of_fetch(memc_object *self)
{
	bool has_failed = (self->has_lost || self->reachable == 0) && self->error_code != MEMC_SUCCESS;
	self->code = self->has_damaged ? MEMC_PAYLOAD_FAILURE : has_failed ? self->error_code : MEMC_NOTFOUND;
}

static void note_failure(memc_object *self, const client_copy *copy)
{
	php_leveret_memc_result_of_copy(self, copy);
	if (memc_is_unreached(copy->code)) {
		self->reachable--;
	} else {
		self->has_lost = true;
	}
}

/* The next found item of a delayed get. */
static bool fetch_one(memc_object *self, zval *element)
{
	while (self->is_fetching) {
		client_copies one = { 0 };
		php_leveret_memc_gather(self, &one, true, 1);
		if (one.count == 0) {
			self->is_fetching = false;
			php_leveret_client_copies_free(&one);
			break;
		}
		client_copy *copy = &one.list[0];
		bool given = copy->code == MEMC_SUCCESS && give_element(self, copy, element);
		if (copy->code != MEMC_SUCCESS && copy->code != MEMC_NOTFOUND) {
			note_failure(self, copy);
		} else if (!given && self->code == MEMC_PAYLOAD_FAILURE) {
			self->has_damaged = true;
		}
		php_leveret_client_copies_free(&one);
		if (given) {
			self->code = MEMC_SUCCESS;
		}
		if (given || EG(exception)) {
			return given;
		}
	}
	return false;
}

static void get_delayed(INTERNAL_FUNCTION_PARAMETERS, bool by_key)
{
	zend_string *server_key = NULL;
	HashTable *keys;
	bool with_cas = false;
	zend_fcall_info call = empty_fcall_info;
	zend_fcall_info_cache cache = empty_fcall_info_cache;
	ZEND_PARSE_PARAMETERS_START(1 + by_key, 3 + by_key)
		if (by_key) {
			Z_PARAM_STR(server_key)
		}
		Z_PARAM_ARRAY_HT(keys)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(with_cas)
		Z_PARAM_FUNC_OR_NULL(call, cache)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	memc_names names;
	php_leveret_memc_names_take(self, keys, &names);
	php_leveret_memc_ask(self, server_key, with_cas, &names);
	php_leveret_memc_names_free(&names);
	if (!names.count) {
		if (self->code == MEMC_NOTFOUND) {
			memc_result(self, MEMC_BAD_KEY_PROVIDED);
		}
		RETURN_FALSE;
	}
	int code = leveret_pool_start(link->pool);
	php_leveret_memc_failure(self, code);
	self->is_fetching = true;
	self->has_lost = self->has_damaged = false;
	self->reachable = names.count;
	zval element;
	if (code == MEMC_SOME_ERRORS) {
		/* No server can answer: as in the original that is reported at once. */
		fetch_one(self, &element);
		end_of_fetch(self);
		RETURN_FALSE;
	}
	if (!call.size) {
		RETURN_BOOL(!php_leveret_memc_is_failure(code));
	}
	bool has_found = false;
	while (fetch_one(self, &element)) {
		has_found = true;
		php_leveret_memc_call_back(self, &call, &cache, &element);
		zval_ptr_dtor(&element);
		if (EG(exception)) {
			break;
		}
	}
	bool is_whole = has_found && !self->has_lost && !self->has_damaged;
	if (!is_whole && !EG(exception)) {
		end_of_fetch(self);
	}
	RETURN_BOOL(is_whole && !EG(exception));
}

/* clang-format off */
PHP_METHOD(Memcached, getDelayed) { get_delayed(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, getDelayedByKey) { get_delayed(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */

PHP_METHOD(Memcached, fetch)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	if (!self->is_fetching) {
		self->code = MEMC_NOTFOUND;
		RETURN_FALSE;
	}
	if (!fetch_one(self, return_value)) {
		if (!EG(exception)) {
			end_of_fetch(self);
		}
		RETURN_FALSE;
	}
}

PHP_METHOD(Memcached, fetchAll)
{
	zval element;
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	if (!self->is_fetching) {
		self->code = MEMC_NOTFOUND;
		RETURN_FALSE;
	}
	array_init(return_value);
	while (fetch_one(self, &element)) {
		add_next_index_zval(return_value, &element);
	}
	if (EG(exception)) {
		RETURN_THROWS();
	}
	if (!zend_hash_num_elements(Z_ARRVAL_P(return_value))) {
		end_of_fetch(self);
		zval_ptr_dtor(return_value);
		RETURN_FALSE;
	}
	/* As getMulti(). The original drops the received answers. */
	self->code = self->has_damaged ? MEMC_PAYLOAD_FAILURE : self->has_lost ? MEMC_SOME_ERRORS : MEMC_SUCCESS;
}
