/* memcached/read.c: get(), and the conversion of an answer. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "memcached.h"

/* ["value" => …, "cas" => …, "flags" => …]; takes `value` over. */
static void extended(zval *return_value, zval *value, uint64_t cas, const leveret_meta *meta)
{
	array_init_size(return_value, 3);
	add_assoc_zval(return_value, "value", value);
	if (cas > ZEND_LONG_MAX) {
		zend_string *text = zend_strpprintf(0, ZEND_ULONG_FMT, (zend_ulong) cas);
		add_assoc_str(return_value, "cas", text);
	} else {
		add_assoc_long(return_value, "cas", (zend_long) cas);
	}
	add_assoc_long(return_value, "flags", php_leveret_memc_user_flags(meta));
}

/* With an encryption key, a value encrypted with another key, or not encrypted, is a miss, as with the original. */
static bool is_opened(memc_object *self, client_copy *copy)
{
	zend_string *opened = copy->data ? php_leveret_memc_decrypt(self->link->cipher, copy->data) : NULL;
	if (!opened) {
		memc_result(self, MEMC_NOTFOUND);
		return false;
	}
	zend_string_release(copy->data);
	copy->data = opened;
	return true;
}

bool php_leveret_memc_give_value(memc_object *self, client_copy *copy, bool is_extended, zval *return_value)
{
	zval value;
	if (UNEXPECTED(copy->is_too_long)) {
		php_error_docref(NULL, E_WARNING, "could not read value: it is longer than memory_limit allows");
		memc_result(self, MEMC_PAYLOAD_FAILURE);
		return false;
	}
	if (self->link->cipher && !is_opened(self, copy)) {
		php_leveret_client_copy_free(copy);
		return false;
	}
	zend_string *data = copy->data;
	copy->data = NULL;
	if (!data) {
		ZVAL_LONG(&value, (zend_long) copy->number);
	} else if (EXPECTED(php_leveret_is_string(&copy->meta))) {
		ZVAL_STR(&value, data);
	} else if (!php_leveret_memc_decode(self, &copy->meta, data, &value)) {
		return false;
	}
	if (is_extended) {
		extended(return_value, &value, copy->cas, &copy->meta);
	} else {
		ZVAL_COPY_VALUE(return_value, &value);
	}
	return true;
}

bool php_leveret_memc_give_and_offer(
	memc_object *self, uint64_t arena, zend_string *key, client_copy *copy, const leveret_version *version, zval *value)
{
	/* Decoding may run user code, which may change the link. */
	uint32_t view = memc_view_of(self->link);
	bool is_plain = !self->link->cipher;
	if (!php_leveret_memc_give_value(self, copy, false, value)) {
		return false;
	}
	if (Z_TYPE_P(value) == IS_ARRAY && is_plain) {
		php_leveret_decoded_offer(arena, view, key, version, Z_ARR_P(value));
	}
	return true;
}

/* A miss is filled by the script: $cache_cb($memc, $key, &$value, &$expiration), with GET_EXTENDED ($memc, $key,
 * &$value). */
static zend_never_inline void read_through(memc_object *self, zend_fcall_info *call, zend_fcall_info_cache *cache,
	zend_string *server_key, zend_string *key, bool is_extended, zval *return_value)
{
	zval arguments[4], answer, *value = &arguments[2];
	ZVAL_OBJ_COPY(&arguments[0], &self->std);
	ZVAL_STR_COPY(&arguments[1], key);
	ZVAL_NEW_EMPTY_REF(value);
	ZVAL_NULL(Z_REFVAL_P(value));
	ZVAL_NEW_EMPTY_REF(&arguments[3]);
	ZVAL_LONG(Z_REFVAL(arguments[3]), 0);
	call->retval = &answer;
	call->params = arguments;
	call->param_count = is_extended ? 3 : 4;
	ZVAL_UNDEF(&answer);
	zend_result called = zend_call_function(call, cache);
	if (called == SUCCESS && !EG(exception) && zend_is_true(&answer)) {
		/* Held: code of the value (__serialize) may still have the reference, and assign something else to it. */
		zval found, *stored = &found;
		ZVAL_COPY(&found, Z_REFVAL_P(value));
		zend_long expiration = zval_get_long(Z_REFVAL(arguments[3]));
		if (is_extended) {
			/* The original takes the number under "cas" for the expiration; scripts that use this rely on it. */
			HashTable *parts = Z_TYPE(found) == IS_ARRAY ? Z_ARRVAL(found) : NULL;
			zval *cas = parts ? zend_hash_str_find(parts, "cas", strlen("cas")) : NULL;
			stored = parts ? zend_hash_str_find(parts, "value", strlen("value")) : NULL;
			expiration = cas ? zval_get_long(cas) : 0;
		}
		if (stored && !EG(exception)
			&& php_leveret_memc_store_one(self, LEVERET_OP_SET, server_key, key, stored, expiration, 0)) {
			ZVAL_COPY(return_value, &found);
		}
		zval_ptr_dtor(&found);
	}
	zval_ptr_dtor(&answer);
	for (int i = 0; i < 4; i++) {
		zval_ptr_dtor(&arguments[i]);
	}
}

/* One server that is an arena: the item is read straight from memory. True: it was found, and *return_value is its
 * value, or false if it cannot be decoded. */
static zend_always_inline bool get_from_arena(
	memc_object *self, leveret_arena *arena, zend_string *key, bool is_extended, zval *return_value)
{
	client_copy copy = { 0 };
	leveret_reading reading;
	self->is_fetching = false;
	bool is_kept = !is_extended && memc_find_decoded(self->link, arena, key, return_value);
	leveret_status status = is_kept ? LEVERET_OK : client_copy_item(arena, key, is_extended, &copy, &reading);
	memc_result(self, status == LEVERET_OK ? MEMC_SUCCESS : status == LEVERET_MISS ? MEMC_NOTFOUND : MEMC_FAILURE);
	if (UNEXPECTED(is_kept)) {
		return true;
	}
	if (status != LEVERET_OK) {
		return false;
	}
	if (EXPECTED(copy.data && !is_extended && php_leveret_is_string(&copy.meta) && !self->link->cipher)) {
		RETVAL_NEW_STR(copy.data);
		return true;
	}
	uint64_t number = leveret_arena_number(arena);
	bool is_given = is_extended
		? php_leveret_memc_give_value(self, &copy, true, return_value)
		: php_leveret_memc_give_and_offer(self, number, key, &copy, &reading.found.version, return_value);
	if (!is_given) {
		RETVAL_FALSE;
		return self->code != MEMC_NOTFOUND;
	}
	return true;
}

/* As get_from_arena, by a request. */
static zend_never_inline bool get_from_servers(
	memc_object *self, zend_string *server_key, zend_string *key, bool is_extended, zval *return_value)
{
	client_copy copy = { 0 };
	leveret_request request = {
		.operation = LEVERET_OP_GET,
		.key = php_leveret_string(key),
		.group = memc_group(server_key),
		.with_cas = is_extended,
		.server = -1,
	};
	if (!php_leveret_memc_call(self, &request, &copy)) {
		return false;
	}
	if (!php_leveret_memc_give_value(self, &copy, is_extended, return_value)) {
		RETVAL_FALSE;
		return self->code != MEMC_NOTFOUND;
	}
	return true;
}

static zend_always_inline void get(INTERNAL_FUNCTION_PARAMETERS, bool by_key)
{
	zend_string *server_key = NULL, *key;
	zend_fcall_info call;
	zend_fcall_info_cache cache;
	zend_long flags = 0;
	call.size = 0; /* no callback */
	ZEND_PARSE_PARAMETERS_START(1 + by_key, 3 + by_key)
		if (by_key) {
			Z_PARAM_STR(server_key)
		}
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_FUNC_OR_NULL(call, cache)
		Z_PARAM_LONG(flags)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	bool is_extended = flags & MEMC_GET_EXTENDED, found;
	server_key = memc_group_of_read(server_key);
	if (!php_leveret_memc_key_is_good(self, key)) {
		RETURN_FALSE;
	}
	zend_string *full = memc_full_key(link, key);
	leveret_arena *arena = leveret_pool_arena(link->pool, php_leveret_looked());
	if (arena) {
		found = get_from_arena(self, arena, full, is_extended, return_value);
	} else {
		found = get_from_servers(self, server_key, full, is_extended, return_value);
	}
	zend_string_release(full);
	if (!found) {
		RETVAL_FALSE;
		if (self->code == MEMC_NOTFOUND && call.size) {
			read_through(self, &call, &cache, server_key, key, is_extended, return_value);
		}
	}
}

/* clang-format off */
PHP_METHOD(Memcached, get) { get(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, getByKey) { get(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */
