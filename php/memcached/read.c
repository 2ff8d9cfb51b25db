/* memcached/read.c: get() and its kin. */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "base/arena.h"
#include "decoded/table.h"
#include "memcached.h"

/* What chooses the server of a read. As in the original an empty server key is none here, and one to all that writes. */
static zend_always_inline zend_string *group_of_read(zend_string *server_key)
{
	return server_key && ZSTR_LEN(server_key) ? server_key : NULL;
}

/* --- one item --- */

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

/* What another key has encrypted, or none, is missing to who has a key, as with the original. */
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

/* Takes copy->data over. False: PAYLOAD_FAILURE, NOTFOUND where a key does not fit, or an exception. */
static bool give_value(memc_object *self, client_copy *copy, bool is_extended, zval *return_value)
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

/* What the decoded-value cache knows values of this link by. */
static zend_always_inline uint32_t view_of(const memc_link *link)
{
	return PHP_LEVERET_VIEW(LEVERET_PECL_MEMCACHED, memc_wanted(link));
}

/* Nothing that only a key of encryption opens is kept. */
static zend_always_inline bool find_decoded(const memc_link *link, leveret_arena *arena, zend_string *key, zval *value)
{
	return !link->cipher && php_leveret_decoded_get(arena, view_of(link), key, 0, value);
}

/* As give_value, and offers what is an array to the decoded-value cache. */
static bool give_and_offer(memc_object *self, uint64_t arena, zend_string *key, client_copy *copy, const leveret_version *version, zval *value)
{
	/* Decoding may run user code, which may change the link. */
	uint32_t view = view_of(self->link);
	bool is_plain = !self->link->cipher;
	if (!give_value(self, copy, false, value)) {
		return false;
	}
	if (Z_TYPE_P(value) == IS_ARRAY && is_plain) {
		php_leveret_decoded_offer(arena, view, key, version, Z_ARR_P(value));
	}
	return true;
}

/* A miss is filled by the script: $cache_cb($memc, $key, &$value, &$expiration), with GET_EXTENDED ($memc, $key, &$value). */
static zend_never_inline void read_through(memc_object *self, zend_fcall_info *call, zend_fcall_info_cache *cache, zend_string *server_key, zend_string *key, bool is_extended, zval *return_value)
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
		if (stored && !EG(exception) && php_leveret_memc_store_one(self, LEVERET_OP_SET, server_key, key, stored, expiration, 0)) {
			ZVAL_COPY(return_value, &found);
		}
		zval_ptr_dtor(&found);
	}
	zval_ptr_dtor(&answer);
	for (int i = 0; i < 4; i++) {
		zval_ptr_dtor(&arguments[i]);
	}
}

/* One server that is an arena: the item is read straight from memory. True: it was found, and *return_value is its value, or false if it
 * cannot be decoded. */
static zend_always_inline bool get_from_arena(memc_object *self, leveret_arena *arena, zend_string *key, bool is_extended, zval *return_value)
{
	client_copy copy = {0};
	leveret_reading reading;
	self->is_fetching = false;
	bool is_kept = !is_extended && find_decoded(self->link, arena, key, return_value);
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
	if (!(is_extended ? give_value(self, &copy, true, return_value) : give_and_offer(self, leveret_arena_number(arena), key, &copy, &reading.found.version, return_value))) {
		RETVAL_FALSE;
		return self->code != MEMC_NOTFOUND;
	}
	return true;
}

/* As get_from_arena, by a request. */
static zend_never_inline bool get_from_servers(memc_object *self, zend_string *server_key, zend_string *key, bool is_extended, zval *return_value)
{
	client_copy copy = {0};
	leveret_request request = { .operation = LEVERET_OP_GET, .key = php_leveret_string(key), .group = memc_group(server_key), .with_cas = is_extended, .server = -1 };
	if (!php_leveret_memc_call(self, &request, &copy)) {
		return false;
	}
	if (!give_value(self, &copy, is_extended, return_value)) {
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
	call.size = 0;   /* no callback */
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
	server_key = group_of_read(server_key);
	if (!memc_key_is_good(self, key)) {
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

PHP_METHOD(Memcached, get) { get(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, getByKey) { get(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }

/* --- many items --- */

/* The keys of a batch as the script gave them, in the order of their requests. */
typedef struct memc_names {
	zend_string **list;
	uint32_t count;
} memc_names;

static void names_free(memc_names *names)
{
	for (uint32_t i = 0; i < names->count; i++) {
		zend_string_release(names->list[i]);
	}
	efree(names->list);
}

/* `names` are freed by the caller. Keys that break the rules are passed over, as in the original. Runs user code (__toString). */
static void take_names(memc_object *self, HashTable *keys, memc_names *names)
{
	zval *key;
	uint32_t room = zend_hash_num_elements(keys);
	*names = (memc_names) { .list = safe_emalloc(room ? room : 1, sizeof(*names->list), 0) };
	ZEND_HASH_FOREACH_VAL(keys, key) {
		zend_string *name = zval_get_string(key);
		if (!EG(exception) && names->count < room && memc_key_is_good(self, name)) {
			names->list[names->count++] = name;
		} else {
			zend_string_release(name);
		}
	} ZEND_HASH_FOREACH_END();
	memc_result(self, room && !names->count ? MEMC_BAD_KEY_PROVIDED : MEMC_NOTFOUND);
	self->is_fetching = false;
}

/* Begins a batch of gets. Names whose key cannot be asked for are taken away. */
static void ask(memc_object *self, zend_string *server_key, bool with_cas, memc_names *names)
{
	memc_link *link = self->link;
	uint32_t count = names->count;
	names->count = 0;
	leveret_pool_begin(link->pool);
	leveret_request request = { .operation = LEVERET_OP_GET, .group = memc_group(group_of_read(server_key)), .with_cas = with_cas, .server = -1 };
	for (uint32_t i = 0; i < count; i++) {
		zend_string *name = names->list[i];
		if (EG(exception)) {
			zend_string_release(name);
			continue;
		}
		zend_string *full = memc_full_key(link, name);
		request.key = php_leveret_string(full);
		int code = leveret_pool_add(link->pool, &request);
		zend_string_release(full);
		if (code == MEMC_SUCCESS) {
			names->list[names->count++] = name;
		} else {
			php_leveret_memc_failure(self, code);
			zend_string_release(name);
		}
	}
}

/* How the answers to a batch of gets came out. */
typedef struct memc_tally {
	uint32_t answers, found, failed;
	bool was_lost;                    /* a server that had been reached failed */
} memc_tally;

/* Its server could not be reached at all: as in the original the key is then missing, since applications take any other code for the
 * failure of the whole call. */
static bool is_unreached(zend_long code)
{
	switch (code) {
		case MEMC_HOST_LOOKUP_FAILURE:
		case MEMC_CONNECTION_FAILURE:
		case MEMC_ERRNO:
		case MEMC_SERVER_MARKED_DEAD:
		case MEMC_SERVER_TEMPORARILY_DISABLED:
			return true;
		default:
			return false;
	}
}

static void count_answer(memc_object *self, memc_tally *tally, const leveret_answer *answer)
{
	tally->answers++;
	if (EXPECTED(answer->code == MEMC_SUCCESS)) {
		tally->found++;
	} else if (answer->code != MEMC_NOTFOUND) {
		php_leveret_memc_result_of(self, answer);
		tally->failed++;
		tally->was_lost |= !is_unreached(answer->code);
	}
}

/* The result of `asked` gets, of which those that found nothing have no answer. False: no server could be asked. */
static bool judge_many(memc_object *self, zend_long code, const memc_tally *tally, uint32_t asked)
{
	if (tally->answers == 0 && php_leveret_memc_is_failure(code) && code != MEMC_SOME_ERRORS && code != MEMC_NOTFOUND) {
		php_leveret_memc_failure(self, code);
		return false;
	}
	if (tally->failed == asked) {
		/* What was the matter with the last of them is told. */
		return false;
	}
	php_leveret_memc_failure(self, tally->was_lost ? MEMC_SOME_ERRORS : tally->found ? MEMC_SUCCESS : MEMC_NOTFOUND);
	return true;
}

/* Puts the answers into the array, up to the first whose value may run user code to be decoded: it and those behind it become copies. */
static memc_tally take_many(memc_object *self, const memc_names *names, bool is_extended, HashTable *values, client_copies *copies)
{
	memc_tally tally = {0};
	leveret_answer answer;
	while (leveret_pool_next(self->link->pool, &answer)) {
		count_answer(self, &tally, &answer);
		if (UNEXPECTED(answer.code != MEMC_SUCCESS)) {
			continue;
		}
		zend_string *name = names->list[answer.request];
		if (EXPECTED(!copies->count && !is_extended && php_leveret_is_string(&answer.meta) && !self->link->cipher && client_fits(answer.value.len))) {
			zval value;
			ZVAL_STRINGL(&value, (const char *) answer.value.data, answer.value.len);
			zend_symtable_update(values, name, &value);
		} else {
			client_copy *copy = php_leveret_client_copies_next(copies);
			client_copy_fitting(&answer, copy);
			copy->key = zend_string_copy(name);
		}
	}
	return tally;
}

/* An item of an arena that is still to be decoded. */
typedef struct memc_undecoded {
	zend_string *name, *key;
	client_copy copy;
	leveret_version version;
} memc_undecoded;

typedef struct memc_undecoded_list {
	memc_undecoded *list;
	uint32_t count;
} memc_undecoded_list;

/* OK: *value is what `key` has, or null, and `rest` has it. */
static leveret_status read_one(const memc_link *link, leveret_arena *arena, zend_string *name, zend_string *key, memc_undecoded_list *rest, zval *value)
{
	client_copy copy = {0};
	leveret_reading reading;
	if (find_decoded(link, arena, key, value)) {
		return LEVERET_OK;
	}
	leveret_status status = client_copy_item(arena, key, false, &copy, &reading);
	if (EXPECTED(status == LEVERET_OK && copy.data && php_leveret_is_string(&copy.meta))) {
		ZVAL_NEW_STR(value, copy.data);
	} else if (status == LEVERET_OK) {
		ZVAL_NULL(value);
		rest->list[rest->count++] = (memc_undecoded) { .name = zend_string_copy(name), .key = zend_string_copy(key), .copy = copy, .version = reading.found.version };
	}
	return status;
}

/* Up to LEVERET_AHEAD of them, whose memory is asked for at once. */
static void read_some(const memc_link *link, leveret_arena *arena, zend_string **names, uint32_t count, HashTable *values, memc_undecoded_list *rest, memc_tally *tally)
{
	zend_string *keys[LEVERET_AHEAD];
	leveret_bytes bytes[LEVERET_AHEAD];
	uint64_t hashes[LEVERET_AHEAD];
	for (uint32_t i = 0; i < count; i++) {
		keys[i] = memc_full_key(link, names[i]);
		bytes[i] = php_leveret_string(keys[i]);
	}
	leveret_ask_for(arena, bytes, count, hashes);
	for (uint32_t i = 0; i < count; i++) {
		zval value;
		leveret_status status = read_one(link, arena, names[i], keys[i], rest, &value);
		if (status == LEVERET_OK) {
			zend_symtable_update(values, names[i], &value);
			tally->found++;
		} else if (status != LEVERET_MISS) {
			tally->failed++;
		}
		zend_string_release(keys[i]);
	}
}

/* Puts the values in their places; one that does not decode leaves none, or a null in the order of the keys. */
static void decode_rest(memc_object *self, uint64_t arena, memc_undecoded_list *rest, bool keeps_order, HashTable *values)
{
	for (uint32_t i = 0; i < rest->count; i++) {
		memc_undecoded *one = &rest->list[i];
		zval value;
		if (!EG(exception) && give_and_offer(self, arena, one->key, &one->copy, &one->version, &value)) {
			zend_symtable_update(values, one->name, &value);
		} else if (!keeps_order) {
			zend_symtable_del(values, one->name);
		}
		php_leveret_client_copy_free(&one->copy);
		zend_string_release(one->name);
		zend_string_release(one->key);
	}
	efree(rest->list);
}

/* All items are read straight from memory, in their order, before what may run user code is decoded. False: none could be read. */
static bool get_multi_from_arena(memc_object *self, leveret_arena *arena, const memc_names *names, bool keeps_order, HashTable *values)
{
	memc_tally tally = {0};
	memc_undecoded_list rest = { .list = safe_emalloc(names->count, sizeof(*rest.list), 0) };
	uint64_t number = leveret_arena_number(arena);
	for (uint32_t from = 0; from < names->count; from += LEVERET_AHEAD) {
		read_some(self->link, arena, names->list + from, MIN(names->count - from, LEVERET_AHEAD), values, &rest, &tally);
	}
	if (tally.failed) {
		php_leveret_memc_failure(self, tally.failed < names->count ? MEMC_SOME_ERRORS : MEMC_FAILURE);
	} else {
		memc_result(self, tally.found ? MEMC_SUCCESS : MEMC_NOTFOUND);
	}
	decode_rest(self, number, &rest, keeps_order, values);
	return tally.failed < names->count;
}

/* As get_multi_from_arena, by a batch of requests. */
static bool get_multi_from_servers(memc_object *self, zend_string *server_key, memc_names *names, bool is_extended, HashTable *values)
{
	memc_link *link = self->link;
	ask(self, server_key, is_extended, names);
	if (!names->count) {
		return self->code == MEMC_NOTFOUND;
	}
	client_copies copies = {0};
	int code = leveret_pool_run(link->pool);
	memc_tally tally = take_many(self, names, is_extended, values, &copies);
	bool asked_some = judge_many(self, code, &tally, names->count);
	for (uint32_t i = 0; asked_some && i < copies.count && !EG(exception); i++) {
		zval value;
		if (give_value(self, &copies.list[i], is_extended, &value)) {
			zend_symtable_update(values, copies.list[i].key, &value);
		}
	}
	if (link->cipher && asked_some && self->code == MEMC_NOTFOUND && zend_hash_num_elements(values)) {
		memc_result(self, MEMC_SUCCESS);
	}
	php_leveret_client_copies_free(&copies);
	return asked_some;
}

static void get_multi(INTERNAL_FUNCTION_PARAMETERS, bool by_key)
{
	zend_string *server_key;
	HashTable *keys;
	zend_long flags;
	if (!php_leveret_memc_take_many(execute_data, by_key, &server_key, &keys, &flags)) {
		RETURN_THROWS();
	}
	MEMC_SELF();
	bool keeps_order = flags & MEMC_GET_PRESERVE_ORDER, is_extended = flags & MEMC_GET_EXTENDED;
	array_init_size(return_value, zend_hash_num_elements(keys));
	if (keeps_order) {
		zval *key;
		ZEND_HASH_FOREACH_VAL(keys, key) {
			zend_string *name = zval_get_string(key);
			zval none;
			ZVAL_NULL(&none);
			zend_symtable_update(Z_ARRVAL_P(return_value), name, &none);
			zend_string_release(name);
		} ZEND_HASH_FOREACH_END();
	}
	if (EG(exception)) {
		RETURN_THROWS();
	}
	memc_names names;
	take_names(self, keys, &names);
	bool asked_some = self->code == MEMC_NOTFOUND;
	if (names.count && !EG(exception)) {
		leveret_arena *arena = is_extended || self->link->cipher ? NULL : leveret_pool_arena(self->link->pool, php_leveret_looked());
		asked_some = arena
			? get_multi_from_arena(self, arena, &names, keeps_order, Z_ARRVAL_P(return_value))
			: get_multi_from_servers(self, server_key, &names, is_extended, Z_ARRVAL_P(return_value));
	}
	names_free(&names);
	if (!asked_some) {
		zval_ptr_dtor(return_value);
		RETVAL_FALSE;
	}
}

PHP_METHOD(Memcached, getMulti) { get_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, getMultiByKey) { get_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }

/* --- later --- */

/* ["key", "value"], with cas tokens also "cas" and "flags". False: it does not decode. */
static bool give_element(memc_object *self, client_copy *copy, zval *element)
{
	zval value;
	if (!give_value(self, copy, false, &value)) {
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
	if (is_unreached(copy->code)) {
		self->reachable--;
	} else {
		self->has_lost = true;
	}
}

/* The next found item of a delayed get. */
static bool fetch_one(memc_object *self, zval *element)
{
	while (self->is_fetching) {
		client_copies one = {0};
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
	take_names(self, keys, &names);
	ask(self, server_key, with_cas, &names);
	names_free(&names);
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
		/* Nobody is there to answer: as in the original that is told at once. */
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

PHP_METHOD(Memcached, getDelayed) { get_delayed(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, getDelayedByKey) { get_delayed(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }

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
	/* As getMulti(). The original drops what has come. */
	self->code = self->has_damaged ? MEMC_PAYLOAD_FAILURE : self->has_lost ? MEMC_SOME_ERRORS : MEMC_SUCCESS;
}
