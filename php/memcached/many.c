/* memcached/many.c: getMulti(). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "memcached.h"

void php_leveret_memc_names_free(memc_names *names)
{
	for (uint32_t i = 0; i < names->count; i++) {
		zend_string_release(names->list[i]);
	}
	efree(names->list);
}

void php_leveret_memc_names_take(memc_object *self, HashTable *keys, memc_names *names)
{
	zval *key;
	uint32_t room = zend_hash_num_elements(keys);
	*names = (memc_names) { .list = safe_emalloc(room ? room : 1, sizeof(*names->list), 0) };
	ZEND_HASH_FOREACH_VAL(keys, key) {
		zend_string *name = zval_get_string(key);
		if (!EG(exception) && names->count < room && php_leveret_memc_key_is_good(self, name)) {
			names->list[names->count++] = name;
		} else {
			zend_string_release(name);
		}
	}
	ZEND_HASH_FOREACH_END();
	memc_result(self, room && !names->count ? MEMC_BAD_KEY_PROVIDED : MEMC_NOTFOUND);
	self->is_fetching = false;
}

void php_leveret_memc_ask(memc_object *self, zend_string *server_key, bool with_cas, memc_names *names)
{
	memc_link *link = self->link;
	uint32_t count = names->count;
	names->count = 0;
	leveret_pool_begin(link->pool);
	leveret_request request = {
		.operation = LEVERET_OP_GET,
		.group = memc_group(memc_group_of_read(server_key)),
		.with_cas = with_cas,
		.server = -1,
	};
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
	bool was_lost; /* a server that had been reached failed */
} memc_tally;

static void count_answer(memc_object *self, memc_tally *tally, const leveret_answer *answer)
{
	tally->answers++;
	if (EXPECTED(answer->code == MEMC_SUCCESS)) {
		tally->found++;
	} else if (answer->code != MEMC_NOTFOUND) {
		php_leveret_memc_result_of(self, answer);
		tally->failed++;
		tally->was_lost |= !memc_is_unreached(answer->code);
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
		/* The error of the last of them is reported. */
		return false;
	}
	if (UNEXPECTED(tally->was_lost)) {
		php_leveret_memc_failure(self, MEMC_SOME_ERRORS);
	} else {
		memc_result(self, tally->found ? MEMC_SUCCESS : MEMC_NOTFOUND);
	}
	return true;
}

/* Puts the answers into the array, up to the first whose value may run user code to be decoded: it and those behind it
 * become copies. */
static memc_tally take_many(
	memc_object *self, const memc_names *names, bool is_extended, HashTable *values, client_copies *copies)
{
	memc_tally tally = { 0 };
	leveret_answer answer;
	while (leveret_pool_next(self->link->pool, &answer)) {
		count_answer(self, &tally, &answer);
		if (UNEXPECTED(answer.code != MEMC_SUCCESS)) {
			continue;
		}
		zend_string *name = names->list[answer.request];
		if (EXPECTED(!copies->count && !is_extended && php_leveret_is_string(&answer.meta) && !self->link->cipher
				&& client_fits(answer.value.len))) {
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
static leveret_status read_one(const memc_link *link, leveret_arena *arena, zend_string *name, zend_string *key,
	memc_undecoded_list *rest, zval *value)
{
	client_copy copy = { 0 };
	leveret_reading reading;
	if (memc_find_decoded(link, arena, key, value)) {
		return LEVERET_OK;
	}
	leveret_status status = client_copy_item(arena, key, false, &copy, &reading);
	if (EXPECTED(status == LEVERET_OK && copy.data && php_leveret_is_string(&copy.meta))) {
		ZVAL_NEW_STR(value, copy.data);
	} else if (status == LEVERET_OK) {
		ZVAL_NULL(value);
		rest->list[rest->count++] = (memc_undecoded) {
			.name = zend_string_copy(name),
			.key = zend_string_copy(key),
			.copy = copy,
			.version = reading.found.version,
		};
	}
	return status;
}

/* Up to LEVERET_AHEAD of them, whose memory is asked for at once. */
static void read_some(const memc_link *link, leveret_arena *arena, zend_string **names, uint32_t count,
	HashTable *values, memc_undecoded_list *rest, memc_tally *tally)
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
static void decode_rest(
	memc_object *self, uint64_t arena, memc_undecoded_list *rest, bool keeps_order, HashTable *values)
{
	for (uint32_t i = 0; i < rest->count; i++) {
		memc_undecoded *one = &rest->list[i];
		zval value;
		if (!EG(exception)
			&& php_leveret_memc_give_and_offer(self, arena, one->key, &one->copy, &one->version, &value)) {
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

/* All items are read straight from memory, in their order, before what may run user code is decoded. False: none could
 * be read. */
static bool get_multi_from_arena(
	memc_object *self, leveret_arena *arena, const memc_names *names, bool keeps_order, HashTable *values)
{
	memc_tally tally = { 0 };
	memc_undecoded_list rest = { .list = safe_emalloc(names->count, sizeof(*rest.list), 0) };
	uint64_t number = leveret_arena_number(arena);
	for (uint32_t from = 0; from < names->count; from += LEVERET_AHEAD) {
		read_some(
			self->link, arena, names->list + from, MIN(names->count - from, LEVERET_AHEAD), values, &rest, &tally);
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
static bool get_multi_from_servers(
	memc_object *self, zend_string *server_key, memc_names *names, bool is_extended, HashTable *values)
{
	memc_link *link = self->link;
	php_leveret_memc_ask(self, server_key, is_extended, names);
	if (!names->count) {
		return self->code == MEMC_NOTFOUND;
	}
	client_copies copies = { 0 };
	int code = leveret_pool_run(link->pool);
	memc_tally tally = take_many(self, names, is_extended, values, &copies);
	bool asked_some = judge_many(self, code, &tally, names->count);
	for (uint32_t i = 0; asked_some && i < copies.count && !EG(exception); i++) {
		zval value;
		if (php_leveret_memc_give_value(self, &copies.list[i], is_extended, &value)) {
			zend_symtable_update(values, copies.list[i].key, &value);
		}
	}
	if (link->cipher && asked_some && self->code == MEMC_NOTFOUND && zend_hash_num_elements(values)) {
		memc_result(self, MEMC_SUCCESS);
	}
	if (copies.count) {
		php_leveret_client_copies_free(&copies);
	}
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
		}
		ZEND_HASH_FOREACH_END();
	}
	if (EG(exception)) {
		RETURN_THROWS();
	}
	memc_names names;
	php_leveret_memc_names_take(self, keys, &names);
	bool asked_some = self->code == MEMC_NOTFOUND;
	if (names.count && !EG(exception)) {
		leveret_arena *arena =
			is_extended || self->link->cipher ? NULL : leveret_pool_arena(self->link->pool, php_leveret_looked());
		asked_some = arena ? get_multi_from_arena(self, arena, &names, keeps_order, Z_ARRVAL_P(return_value))
						   : get_multi_from_servers(self, server_key, &names, is_extended, Z_ARRVAL_P(return_value));
	}
	php_leveret_memc_names_free(&names);
	if (!asked_some) {
		zval_ptr_dtor(return_value);
		RETVAL_FALSE;
	}
}

/* clang-format off */
PHP_METHOD(Memcached, getMulti) { get_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Memcached, getMultiByKey) { get_multi(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */
