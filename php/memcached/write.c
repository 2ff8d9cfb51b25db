/* memcached/write.c: set() and its kin, counters, delete, touch. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "memcached.h"

/* --- stores --- */

static leveret_request store_request(const memc_link *link, leveret_operation operation, zend_string *server_key,
	zend_string *key, const client_payload *payload, zend_long expiration, uint64_t number)
{
	return (leveret_request) {
		.operation = operation,
		.key = php_leveret_string(key),
		.group = memc_group(server_key),
		.value = payload->bytes,
		.meta = payload->meta,
		.exptime = expiration,
		.number = number,
		.quiet = link->behaviors[MEMC_NOREPLY] != 0,
		.server = -1,
	};
}

static bool is_too_big(memc_object *self, const client_payload *payload)
{
	if (self->link->item_size_limit && payload->bytes.len > (size_t) self->link->item_size_limit) {
		memc_result(self, MEMC_E2BIG);
		return true;
	}
	return false;
}

/* Whether the last call may be repeated: a server that failed, not an answer. */
static bool wants_retry(zend_long code)
{
	switch (code) {
		case MEMC_CONNECTION_FAILURE:
		case MEMC_WRITE_FAILURE:
		case MEMC_READ_FAILURE:
		case MEMC_UNKNOWN_READ_FAILURE:
		case MEMC_ERRNO:
		case MEMC_TIMEOUT:
		case MEMC_SERVER_MARKED_DEAD:
		case MEMC_SERVER_TEMPORARILY_DISABLED:
			return true;
		default:
			return false;
	}
}

static bool store_payload(memc_object *self, leveret_operation operation, zend_string *server_key, zend_string *key,
	const client_payload *payload, zend_long expiration, uint64_t number)
{
	memc_link *link = self->link;
	if (is_too_big(self, payload)) {
		return false;
	}
	zend_string *full = memc_full_key(link, key);
	zend_long retries = link->store_retries;
	bool stored;
	do {
		leveret_request request = store_request(link, operation, server_key, full, payload, expiration, number);
		php_leveret_memc_call(self, &request, NULL);
		stored = EXPECTED(self->code == MEMC_SUCCESS) || !php_leveret_memc_is_failure(self->code);
	} while (!stored && wants_retry(self->code) && retries-- > 0);
	zend_string_release(full);
	return stored;
}

bool php_leveret_memc_store_one(memc_object *self, leveret_operation operation, zend_string *server_key,
	zend_string *key, zval *value, zend_long expiration, uint64_t number)
{
	client_payload payload;
	if (!php_leveret_memc_key_is_good(self, key)) {
		return false;
	}
	if (!php_leveret_memc_encode(self->link, value, &payload)) {
		memc_result(self, MEMC_PAYLOAD_FAILURE);
		return false;
	}
	bool stored = store_payload(self, operation, server_key, key, &payload, expiration, number);
	php_leveret_client_payload_free(&payload);
	/* The binary protocol tells apart what the text protocol calls NOT_STORED. */
	if (self->code == MEMC_NOTSTORED && self->link->behaviors[MEMC_BINARY_PROTOCOL]) {
		memc_result(self,
			operation == LEVERET_OP_ADD           ? MEMC_DATA_EXISTS
				: operation == LEVERET_OP_REPLACE ? MEMC_NOTFOUND
												  : MEMC_NOTSTORED);
	}
	return stored;
}

static void memc_store(INTERNAL_FUNCTION_PARAMETERS, leveret_operation operation, bool by_key)
{
	zend_string *server_key = NULL, *key;
	zval *value;
	zend_long expiration = 0;
	ZEND_PARSE_PARAMETERS_START(2 + by_key, 3 + by_key)
		if (by_key) {
			Z_PARAM_STR(server_key)
		}
		Z_PARAM_STR(key)
		Z_PARAM_ZVAL(value)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(expiration)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	RETVAL_BOOL(php_leveret_memc_store_one(self, operation, server_key, key, value, expiration, 0));
}

/* clang-format off */
PHP_METHOD(Memcached, set) { memc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_SET, false); }
PHP_METHOD(Memcached, setByKey) { memc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_SET, true); }
PHP_METHOD(Memcached, add) { memc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_ADD, false); }
PHP_METHOD(Memcached, addByKey) { memc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_ADD, true); }
PHP_METHOD(Memcached, replace) { memc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_REPLACE, false); }
PHP_METHOD(Memcached, replaceByKey) { memc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_REPLACE, true); }
/* clang-format on */

static void join(INTERNAL_FUNCTION_PARAMETERS, leveret_operation operation, bool by_key)
{
	zend_string *server_key = NULL, *key, *value;
	ZEND_PARSE_PARAMETERS_START(2 + by_key, 2 + by_key)
		if (by_key) {
			Z_PARAM_STR(server_key)
		}
		Z_PARAM_STR(key)
		Z_PARAM_STR(value)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	memc_result(self, MEMC_SUCCESS);
	if (!php_leveret_memc_key_is_good(self, key)) {
		RETURN_FALSE;
	}
	if (link->compression) {
		php_error_docref(NULL, E_WARNING, "cannot append/prepend with compression turned on");
		RETURN_NULL();
	}
	if (link->cipher) {
		/* Only a client can append to an encrypted value, or count it. */
		php_leveret_memc_failure(self, MEMC_NOT_SUPPORTED);
		RETURN_FALSE;
	}
	zval text;
	ZVAL_STR(&text, value);
	RETVAL_BOOL(php_leveret_memc_store_one(self, operation, server_key, key, &text, 0, 0));
}

/* clang-format off */
PHP_METHOD(Memcached, append) { join(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_APPEND, false); }
PHP_METHOD(Memcached, appendByKey) { join(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_APPEND, true); }
PHP_METHOD(Memcached, prepend) { join(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_PREPEND, false); }
PHP_METHOD(Memcached, prependByKey) { join(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_PREPEND, true); }
/* clang-format on */

/* A token as returned by getMulti() and get(): an int, or the text of one that is too large for that. Anything else
 * names no version. */
static uint64_t version_of(const zval *token)
{
	switch (Z_TYPE_P(token)) {
		case IS_LONG:
			return (uint64_t) Z_LVAL_P(token);
		case IS_DOUBLE:
			return (uint64_t) zend_dval_to_lval(Z_DVAL_P(token));
		case IS_STRING:
			return ZEND_STRTOUL(Z_STRVAL_P(token), NULL, 10);
		default:
			return 0;
	}
}

static void cas(INTERNAL_FUNCTION_PARAMETERS, bool by_key)
{
	zend_string *server_key = NULL, *key;
	zval *token, *value;
	zend_long expiration = 0;
	ZEND_PARSE_PARAMETERS_START(3 + by_key, 4 + by_key)
		Z_PARAM_ZVAL(token)
		if (by_key) {
			Z_PARAM_STR(server_key)
		}
		Z_PARAM_STR(key)
		Z_PARAM_ZVAL(value)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(expiration)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	uint64_t version = version_of(token);
	/* To the binary protocol 0 is no version: then any is replaced, and a missing item is not created. */
	leveret_operation operation =
		version == 0 && self->link->behaviors[MEMC_BINARY_PROTOCOL] ? LEVERET_OP_REPLACE : LEVERET_OP_CAS;
	RETVAL_BOOL(php_leveret_memc_store_one(self, operation, server_key, key, value, expiration, version));
}

/* clang-format off */
PHP_METHOD(Memcached, cas) { cas(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, casByKey) { cas(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */

/* --- many stores --- */

/* Never moved: the text of an integer lies in the payload itself. */
typedef struct prepared {
	zend_string *key;
	client_payload payload;
	bool is_due; /* it is to be sent, for the first time or again */
} prepared;

/* Encodes all values, which may run user code, before the batch begins. Returns how many are ready; the result is that
 * of the last one. */
static uint32_t prepare(memc_object *self, HashTable *items, prepared *list)
{
	zend_ulong number;
	zend_string *name;
	zval *value;
	uint32_t count = 0;
	ZEND_HASH_FOREACH_KEY_VAL(items, number, name, value) {
		if (EG(exception)) {
			break;
		}
		zend_string *key = name ? zend_string_copy(name) : zend_long_to_str((zend_long) number);
		memc_result(self, MEMC_SUCCESS);
		if (!php_leveret_memc_key_is_good(self, key)) {
			php_leveret_memc_failure(self, MEMC_BAD_KEY_PROVIDED);
		} else if (!php_leveret_memc_encode(self->link, value, &list[count].payload)) {
			memc_result(self, MEMC_PAYLOAD_FAILURE);
		} else if (is_too_big(self, &list[count].payload)) {
			php_leveret_client_payload_free(&list[count].payload);
		} else {
			list[count].key = memc_full_key(self->link, key);
			list[count++].is_due = true;
			/* Clears the result of a __serialize that used this object. */
			memc_result(self, MEMC_SUCCESS);
		}
		zend_string_release(key);
	}
	ZEND_HASH_FOREACH_END();
	return count;
}

/* Asks for the memory of these keys at once, up to LEVERET_AHEAD of them: a batch to an arena is done item by item, as it is added. */
static void ask_for_items(leveret_arena *arena, const prepared *list, uint32_t count)
{
	leveret_bytes keys[LEVERET_AHEAD];
	uint64_t hashes[LEVERET_AHEAD];
	for (uint32_t i = 0; i < count; i++) {
		keys[i] = php_leveret_string(list[i].key);
	}
	leveret_ask_for(arena, keys, count, hashes);
}

/* Stores due items in one batch. Returns how many of them may be retried. The result becomes that of the item with the
 * number `last`, if it is due. */
static uint32_t store_due(
	memc_object *self, zend_string *server_key, prepared *list, uint32_t count, zend_long expiration, uint32_t last)
{
	leveret_pool *pool = self->link->pool;
	leveret_answer answer;
	uint32_t *sent = safe_emalloc(count + 1, sizeof(*sent), 0), sent_count = 0, due = 0;
	leveret_arena *arena = count > 1 ? leveret_pool_arena(pool, php_leveret_looked()) : NULL;
	leveret_pool_begin(pool);
	for (uint32_t i = 0; i < count; i++) {
		if (arena && i % LEVERET_AHEAD == 0) {
			ask_for_items(arena, list + i, MIN(count - i, LEVERET_AHEAD));
		}
		if (list[i].is_due) {
			leveret_request request =
				store_request(self->link, LEVERET_OP_SET, server_key, list[i].key, &list[i].payload, expiration, 0);
			int added = leveret_pool_add(pool, &request);
			list[i].is_due = false;
			if (added == MEMC_SUCCESS) {
				sent[sent_count++] = i;
			}
			if (i == last) {
				php_leveret_memc_failure(self, added);
			}
		}
	}
	int ran = leveret_pool_run(pool);
	if (self->code == MEMC_SUCCESS && ran == MEMC_BUFFERED) {
		memc_result(self, ran);
	}
	while (leveret_pool_next(pool, &answer)) {
		if (!php_leveret_memc_is_failure(answer.code)) {
			continue;
		}
		uint32_t item = sent[answer.request];
		if (item == last) {
			php_leveret_memc_result_of(self, &answer);
		}
		if (wants_retry(answer.code)) {
			list[item].is_due = true;
			due++;
		}
	}
	efree(sent);
	return due;
}

static void set_multi(INTERNAL_FUNCTION_PARAMETERS, bool by_key)
{
	zend_string *server_key;
	HashTable *items;
	zend_long expiration;
	if (!php_leveret_memc_take_many(execute_data, by_key, &server_key, &items, &expiration)) {
		RETURN_THROWS();
	}
	MEMC_SELF();
	memc_link *link = self->link;
	prepared *list = safe_emalloc(zend_hash_num_elements(items) + 1, sizeof(*list), 0);
	memc_result(self, MEMC_SUCCESS);
	uint32_t count = prepare(self, items, list);
	/* As in the original the result is that of the last item, independent of the others. */
	uint32_t last = self->code == MEMC_SUCCESS ? count - 1 : UINT32_MAX;
	zend_long retries = link->store_retries;
	if (!EG(exception)) {
		self->is_fetching = false;
		while (store_due(self, server_key, list, count, expiration, last) && retries-- > 0) {}
	}
	for (uint32_t i = 0; i < count; i++) {
		zend_string_release(list[i].key);
		php_leveret_client_payload_free(&list[i].payload);
	}
	efree(list);
	RETVAL_BOOL(!php_leveret_memc_is_failure(self->code));
}

/* clang-format off */
PHP_METHOD(Memcached, setMulti) { set_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, setMultiByKey) { set_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */

/* --- requests without a value --- */

static bool simple(
	memc_object *self, leveret_request *request, zend_string *server_key, zend_string *key, client_copy *copy)
{
	if (!php_leveret_memc_key_is_good(self, key)) {
		return false;
	}
	zend_string *full = memc_full_key(self->link, key);
	request->key = php_leveret_string(full);
	request->group = memc_group(server_key);
	request->server = -1;
	/* As in libmemcached, the option does not hold for a touch: it tells whether the item is there. */
	request->quiet = self->link->behaviors[MEMC_NOREPLY] && request->operation != LEVERET_OP_TOUCH;
	bool done = php_leveret_memc_call(self, request, copy);
	zend_string_release(full);
	return done;
}

/* Old servers took a time during which a deleted key could not be added again. None does today; as in the original it
 * is refused. */
static bool refuses_time(memc_object *self, zend_long time)
{
	php_leveret_memc_failure(self, time ? MEMC_INVALID_ARGUMENTS : MEMC_SUCCESS);
	return time != 0;
}

/* A key and a number: of a touch the expiration, of a delete a time that must be 0. */
static void touch_or_delete(INTERNAL_FUNCTION_PARAMETERS, leveret_operation operation, bool by_key)
{
	zend_string *server_key = NULL, *key;
	zend_long number = 0;
	ZEND_PARSE_PARAMETERS_START(1 + by_key, 2 + by_key)
		if (by_key) {
			Z_PARAM_STR(server_key)
		}
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(number)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	leveret_request request = { .operation = operation, .exptime = number };
	if (operation == LEVERET_OP_DELETE && php_leveret_memc_key_is_good(self, key) && refuses_time(self, number)) {
		RETURN_FALSE;
	}
	RETVAL_BOOL(simple(self, &request, server_key, key, NULL) || !php_leveret_memc_is_failure(self->code));
}

/* clang-format off */
PHP_METHOD(Memcached, touch) { touch_or_delete(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_TOUCH, false); }
PHP_METHOD(Memcached, touchByKey) { touch_or_delete(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_TOUCH, true); }
PHP_METHOD(Memcached, delete) { touch_or_delete(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_DELETE, false); }
PHP_METHOD(Memcached, deleteByKey) { touch_or_delete(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_DELETE, true); }
/* clang-format on */

/* Adds a delete to the open batch. Not SUCCESS: its result already. */
static zend_long add_delete(memc_object *self, zend_string *server_key, zend_string *name, zend_long time)
{
	memc_link *link = self->link;
	if (!php_leveret_memc_key_is_good(self, name)) {
		php_leveret_memc_failure(self, MEMC_BAD_KEY_PROVIDED);
		return self->code;
	}
	if (refuses_time(self, time)) {
		return self->code;
	}
	zend_string *full = memc_full_key(link, name);
	leveret_request request = {
		.operation = LEVERET_OP_DELETE,
		.key = php_leveret_string(full),
		.group = memc_group(server_key),
		.quiet = link->behaviors[MEMC_NOREPLY] != 0,
		.server = -1,
	};
	zend_long code = leveret_pool_add(link->pool, &request);
	zend_string_release(full);
	return code;
}

/* Deletes of many keys in one batch, whose requests are numbered as they are sent; keys that are refused are not. */
typedef struct delete_list {
	zend_string **names;
	uint32_t count;
	uint32_t *sent; /* of each request, the place of its name */
	uint32_t sent_count;
	zend_long last; /* the code of the last key, as a loop of single deletes would leave it */
} delete_list;

/* Runs user code (__toString). An empty key the original passes over without a word. */
static void deletes_begin(delete_list *deletes, HashTable *keys)
{
	uint32_t room = zend_hash_num_elements(keys) + 1;
	zval *key;
	deletes->names = safe_emalloc(room, sizeof(*deletes->names), 0);
	deletes->sent = safe_emalloc(room, sizeof(*deletes->sent), 0);
	deletes->count = deletes->sent_count = 0;
	deletes->last = MEMC_SUCCESS;
	ZEND_HASH_FOREACH_VAL(keys, key) {
		zend_string *name = zval_get_string(key);
		if (ZSTR_LEN(name)) {
			deletes->names[deletes->count++] = name;
		} else {
			zend_string_release(name);
		}
	}
	ZEND_HASH_FOREACH_END();
}

static void deletes_free(delete_list *deletes)
{
	for (uint32_t i = 0; i < deletes->count; i++) {
		zend_string_release(deletes->names[i]);
	}
	efree(deletes->names);
	efree(deletes->sent);
}

/* Adds them to the open batch. The result of each is true until something else is known. */
static void add_deletes(
	memc_object *self, zend_string *server_key, zend_long time, delete_list *deletes, HashTable *results)
{
	for (uint32_t i = 0; i < deletes->count && !EG(exception); i++) {
		zval result;
		deletes->last = add_delete(self, server_key, deletes->names[i], time);
		if (deletes->last == MEMC_SUCCESS) {
			deletes->sent[deletes->sent_count++] = i;
			ZVAL_TRUE(&result);
		} else {
			ZVAL_LONG(&result, deletes->last);
		}
		zend_symtable_update(results, deletes->names[i], &result);
	}
}

/* The result of a delete that failed is its code. */
static void gather_deletes(memc_object *self, delete_list *deletes, HashTable *results)
{
	client_copies copies = { 0 };
	php_leveret_memc_gather(self, &copies, true, UINT32_MAX);
	for (uint32_t i = 0; i < copies.count; i++) {
		const client_copy *copy = &copies.list[i];
		if (!php_leveret_memc_is_failure(copy->code) || copy->request >= deletes->sent_count) {
			continue;
		}
		zval result;
		uint32_t name = deletes->sent[copy->request];
		if (copy->code != MEMC_NOTFOUND) {
			php_leveret_memc_result_of_copy(self, copy);
		}
		ZVAL_LONG(&result, copy->code);
		zend_symtable_update(results, deletes->names[name], &result);
		deletes->last = name == deletes->count - 1 ? copy->code : deletes->last;
	}
	php_leveret_client_copies_free(&copies);
}

static void delete_multi(INTERNAL_FUNCTION_PARAMETERS, bool by_key)
{
	zend_string *server_key;
	HashTable *keys;
	zend_long time;
	delete_list deletes;
	if (!php_leveret_memc_take_many(execute_data, by_key, &server_key, &keys, &time)) {
		RETURN_THROWS();
	}
	MEMC_SELF();
	deletes_begin(&deletes, keys);
	array_init_size(return_value, deletes.count);
	memc_result(self, MEMC_SUCCESS);
	self->is_fetching = false;
	leveret_pool_begin(self->link->pool);
	add_deletes(self, server_key, time, &deletes, Z_ARRVAL_P(return_value));
	int code = leveret_pool_run(self->link->pool);
	gather_deletes(self, &deletes, Z_ARRVAL_P(return_value));
	if (deletes.last == MEMC_SUCCESS) {
		deletes.last = code == MEMC_BUFFERED ? code : MEMC_SUCCESS;
		memc_result(self, MEMC_SUCCESS);
	}
	self->code = deletes.last;
	deletes_free(&deletes);
}

/* clang-format off */
PHP_METHOD(Memcached, deleteMulti) { delete_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, deleteMultiByKey) { delete_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */

static void memc_count(INTERNAL_FUNCTION_PARAMETERS, leveret_operation operation, bool by_key)
{
	zend_string *server_key = NULL, *key;
	zend_long offset = 1, initial = 0, expiry = 0;
	uint32_t given = ZEND_NUM_ARGS();
	ZEND_PARSE_PARAMETERS_START(1 + by_key, 4 + by_key)
		if (by_key) {
			Z_PARAM_STR(server_key)
		}
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(offset)
		Z_PARAM_LONG(initial)
		Z_PARAM_LONG(expiry)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	bool creates = given > 2u + by_key;
	memc_result(self, MEMC_SUCCESS);
	if (!php_leveret_memc_key_is_good(self, key)) {
		RETURN_FALSE;
	}
	if (offset < 0) {
		php_error_docref(NULL, E_WARNING, "offset cannot be a negative value");
		RETURN_FALSE;
	}
	if (creates && !link->behaviors[MEMC_BINARY_PROTOCOL]) {
		php_error_docref(NULL, E_WARNING, "Initial value is only supported with binary protocol");
		RETURN_FALSE;
	}
	if (link->cipher) {
		php_leveret_memc_failure(self, MEMC_NOT_SUPPORTED);
		RETURN_FALSE;
	}
	client_copy copy = { 0 };
	leveret_request request = {
		.operation = operation,
		.number = (uint64_t) offset,
		.create = creates,
		.initial = (uint64_t) initial,
		.exptime = expiry,
	};
	if (simple(self, &request, server_key, key, &copy)) {
		/* The highest number there is looks like an error to libmemcached. */
		if (copy.number == UINT64_MAX) {
			RETVAL_FALSE;
		} else {
			RETVAL_LONG((zend_long) copy.number);
		}
		php_leveret_client_copy_free(&copy);
		return;
	}
	if (self->code == MEMC_CLIENT_ERROR && link->behaviors[MEMC_BINARY_PROTOCOL]) {
		/* libmemcached does not know this answer of the binary protocol: it is no number that can be counted. */
		self->code = self->error_code = MEMC_UNKNOWN_READ_FAILURE;
	}
	RETVAL_FALSE;
}

/* clang-format off */
PHP_METHOD(Memcached, increment) { memc_count(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_INCREMENT, false); }
PHP_METHOD(Memcached, incrementByKey) { memc_count(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_INCREMENT, true); }
PHP_METHOD(Memcached, decrement) { memc_count(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_DECREMENT, false); }
PHP_METHOD(Memcached, decrementByKey) { memc_count(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_DECREMENT, true); }
/* clang-format on */
