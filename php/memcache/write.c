/* memcache/write.c: set() and its kin, delete(), counters: of one key, or of an array of keys in one batch. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "memcache.h"

/* --- batches --- */

/* A request and its memory. */
typedef struct mmc_write {
	zend_string *key;
	client_payload payload;
} mmc_write;

typedef struct mmc_batch {
	mmc_write *list;
	uint32_t count;
} mmc_batch;

static void free_writes(mmc_batch *batch)
{
	for (uint32_t i = 0; i < batch->count; i++) {
		zend_string_release(batch->list[i].key);
		php_leveret_client_payload_free(&batch->list[i].payload);
	}
	efree(batch->list);
}

/* Sends all requests like `pattern`. `copies` has an answer for each that could be sent, in any order. */
static void send_batch(mmc_link *link, const leveret_request *pattern, const mmc_batch *batch, client_copies *copies,
	mmc_failures *failures)
{
	leveret_pool *pool = php_leveret_mmc_begin(link);
	for (uint32_t i = 0; i < batch->count; i++) {
		leveret_request request = *pattern;
		request.key = php_leveret_string(batch->list[i].key);
		request.value = batch->list[i].payload.bytes;
		request.meta = batch->list[i].payload.meta;
		leveret_pool_add(pool, &request);
	}
	php_leveret_mmc_run(link, copies, failures);
}

/* True if there was something to do and all of it was done. */
static bool send_all(zval *object, const leveret_request *pattern, const mmc_batch *batch)
{
	mmc_link *link = EG(exception) ? NULL : php_leveret_mmc_link_of(object);
	client_copies copies = { 0 };
	mmc_failures failures = { 0 };
	uint32_t done = 0;
	if (!link || batch->count == 0) {
		return false;
	}
	send_batch(link, pattern, batch, &copies, &failures);
	for (uint32_t i = 0; i < copies.count; i++) {
		done += copies.list[i].code == LEVERET_CODE_SUCCESS;
	}
	php_leveret_client_copies_free(&copies);
	php_leveret_mmc_failures_tell(object, &failures);
	return done == batch->count;
}

/* The keys of an array as they are sent; those that are empty are passed over, with a warning. */
static void mmc_write_take_keys(zval *object, HashTable *names, mmc_batch *batch)
{
	zval *entry;
	*batch = (mmc_batch) { .list = safe_emalloc(zend_hash_num_elements(names) + 1, sizeof(mmc_write), 0) };
	ZEND_HASH_FOREACH_VAL(names, entry) {
		zend_string *name = zval_get_string(entry);
		mmc_link *link = EG(exception) ? NULL : php_leveret_mmc_link_of(object);
		zend_string *key = link ? php_leveret_mmc_key(link, name) : NULL;
		zend_string_release(name);
		if (key) {
			mmc_write *next = &batch->list[batch->count++];
			memset(next, 0, sizeof(*next));
			next->key = key;
		} else if (!link) {
			break;
		}
	}
	ZEND_HASH_FOREACH_END();
}

/* --- stores --- */

/* Encodes first, since that runs user code, then asks for the link. False: nothing can be stored. */
static bool mmc_take_value(
	zval *object, zend_string *name, zval *value, zend_long flags, leveret_operation operation, mmc_write *next)
{
	mmc_link *link = php_leveret_mmc_link_of(object);
	next->key = link ? php_leveret_mmc_key(link, name) : NULL;
	if (!next->key) {
		return false;
	}
	if (!php_leveret_mmc_encode(link, value, flags, &next->payload)) {
		zend_string_release(next->key);
		return false;
	}
	if (operation == LEVERET_OP_APPEND || operation == LEVERET_OP_PREPEND) {
		/* Bytes for the bytes that are there. */
		next->payload.meta.encoding = LEVERET_RAW;
	}
	return true;
}

static bool store_one(zval *object, const leveret_request *pattern, zend_string *name, zval *value, zend_long flags)
{
	mmc_write one;
	client_copy copy = { 0 };
	mmc_failures failures = { 0 };
	if (!mmc_take_value(object, name, value, flags, pattern->operation, &one)) {
		return false;
	}
	mmc_link *link = php_leveret_mmc_link_of(object);
	int32_t code = LEVERET_CODE_FAILURE;
	if (link && link->count) {
		leveret_request request = *pattern;
		request.key = php_leveret_string(one.key);
		request.value = one.payload.bytes;
		request.meta = one.payload.meta;
		code = php_leveret_mmc_call(link, &request, &copy, &failures);
	}
	zend_string_release(one.key);
	php_leveret_client_payload_free(&one.payload);
	php_leveret_client_copy_free(&copy);
	php_leveret_mmc_failures_tell(object, &failures);
	return code == LEVERET_CODE_SUCCESS;
}

static bool store_many(zval *object, const leveret_request *pattern, HashTable *values, zend_long flags)
{
	mmc_batch batch = { .list = safe_emalloc(zend_hash_num_elements(values) + 1, sizeof(mmc_write), 0) };
	zend_ulong number;
	zend_string *name;
	zval *value;
	ZEND_HASH_FOREACH_KEY_VAL(values, number, name, value) {
		zend_string *text = name ? zend_string_copy(name) : zend_long_to_str((zend_long) number);
		if (mmc_take_value(object, text, value, flags, pattern->operation, &batch.list[batch.count])) {
			batch.count++;
		}
		zend_string_release(text);
		if (EG(exception)) {
			break;
		}
	}
	ZEND_HASH_FOREACH_END();
	bool done = send_all(object, pattern, &batch);
	free_writes(&batch);
	return done;
}

static void mmc_store(INTERNAL_FUNCTION_PARAMETERS, leveret_operation operation)
{
	zval *object = getThis(), *key, *value = NULL;
	zend_long flags = 0, exptime = 0, cas = 0;
	MMC_ARGUMENTS(1, 5)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_ZVAL(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(value)
		Z_PARAM_LONG(flags)
		Z_PARAM_LONG(exptime)
		Z_PARAM_LONG(cas)
	ZEND_PARSE_PARAMETERS_END();
	if (Z_TYPE_P(key) != IS_ARRAY && !value) {
		zend_wrong_param_count();
		RETURN_THROWS();
	}
	mmc_link *link = php_leveret_mmc_link_of(object);
	if (!link) {
		RETURN_FALSE;
	}
	if ((operation == LEVERET_OP_SET || operation == LEVERET_OP_REPLACE) && cas && link->is_binary) {
		/* There these may name a version too. */
		operation = LEVERET_OP_CAS;
	}
	leveret_request pattern = { .operation = operation, .exptime = exptime, .number = (uint64_t) cas, .server = -1 };
	if (Z_TYPE_P(key) == IS_ARRAY) {
		RETURN_BOOL(store_many(object, &pattern, Z_ARRVAL_P(key), flags));
	}
	zend_string *name = zval_get_string(key);
	RETVAL_BOOL(!EG(exception) && store_one(object, &pattern, name, value, flags));
	zend_string_release(name);
}

/* clang-format off */
PHP_FUNCTION(memcache_set) { mmc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_SET); }
PHP_FUNCTION(memcache_add) { mmc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_ADD); }
PHP_FUNCTION(memcache_replace) { mmc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_REPLACE); }
PHP_FUNCTION(memcache_append) { mmc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_APPEND); }
PHP_FUNCTION(memcache_prepend) { mmc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_PREPEND); }
PHP_FUNCTION(memcache_cas) { mmc_store(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_OP_CAS); }
/* clang-format on */

/* --- without a value --- */

/* One request by its key. SUCCESS: `number` is a counter's new value. */
static int32_t mmc_call(zval *object, const leveret_request *pattern, zend_string *name, uint64_t *number)
{
	mmc_link *link = php_leveret_mmc_link_of(object);
	zend_string *key = link && link->count ? php_leveret_mmc_key(link, name) : NULL;
	if (!key) {
		return LEVERET_CODE_FAILURE;
	}
	leveret_request request = *pattern;
	client_copy copy = { 0 };
	mmc_failures failures = { 0 };
	request.key = php_leveret_string(key);
	int32_t code = php_leveret_mmc_call(link, &request, &copy, &failures);
	*number = copy.number;
	zend_string_release(key);
	php_leveret_client_copy_free(&copy);
	php_leveret_mmc_failures_tell(object, &failures);
	return code;
}

PHP_FUNCTION(memcache_delete)
{
	zval *object = getThis(), *key;
	zend_long exptime = 0;
	MMC_ARGUMENTS(1, 2)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_ZVAL(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(exptime)
	ZEND_PARSE_PARAMETERS_END();
	/* Very old servers could lock a deleted key for this time. */
	(void) exptime;
	leveret_request pattern = { .operation = LEVERET_OP_DELETE, .server = -1 };
	if (!php_leveret_mmc_link_of(object)) {
		RETURN_FALSE;
	}
	if (Z_TYPE_P(key) == IS_ARRAY) {
		mmc_batch batch;
		mmc_write_take_keys(object, Z_ARRVAL_P(key), &batch);
		RETVAL_BOOL(send_all(object, &pattern, &batch));
		free_writes(&batch);
		return;
	}
	zend_string *name = zval_get_string(key);
	uint64_t number;
	RETVAL_BOOL(!EG(exception) && mmc_call(object, &pattern, name, &number) == LEVERET_CODE_SUCCESS);
	zend_string_release(name);
}

/* Counters have 64 unsigned bits. The text protocol reports values above PHP's integers as the largest of them, the
 * binary protocol unchanged. */
static zend_long as_long(uint64_t number, bool is_binary)
{
	return number > ZEND_LONG_MAX && !is_binary ? ZEND_LONG_MAX : (zend_long) number;
}

/* Array key => new value, or false. A key whose server does not answer is left out. */
static void count_many(zval *object, const leveret_request *pattern, HashTable *names, zval *return_value)
{
	mmc_batch batch;
	client_copies copies = { 0 };
	mmc_failures failures = { 0 };
	mmc_write_take_keys(object, names, &batch);
	mmc_link *link = EG(exception) ? NULL : php_leveret_mmc_link_of(object);
	bool is_binary = link && link->is_binary;
	array_init(return_value);
	if (link && batch.count) {
		send_batch(link, pattern, &batch, &copies, &failures);
	}
	for (uint32_t i = 0; i < copies.count; i++) {
		client_copy *copy = &copies.list[i];
		zval value;
		if (copy->code == LEVERET_CODE_SUCCESS) {
			ZVAL_LONG(&value, as_long(copy->number, is_binary));
		} else if (copy->code == LEVERET_CODE_NOTFOUND || copy->code == LEVERET_CODE_CLIENT_ERROR) {
			ZVAL_FALSE(&value);
		} else {
			continue;
		}
		zend_symtable_update(Z_ARRVAL_P(return_value), copy->key, &value);
	}
	php_leveret_client_copies_free(&copies);
	free_writes(&batch);
	php_leveret_mmc_failures_tell(object, &failures);
}

static void mmc_count(INTERNAL_FUNCTION_PARAMETERS, bool up)
{
	zval *object = getThis(), *key;
	uint32_t arguments = ZEND_NUM_ARGS() - !object;
	zend_long step = 1, initial = 0, exptime = 0;
	MMC_ARGUMENTS(1, 4)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_ZVAL(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(step)
		Z_PARAM_LONG(initial)
		Z_PARAM_LONG(exptime)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = php_leveret_mmc_link_of(object);
	if (!link) {
		RETURN_FALSE;
	}
	/* The text protocol makes no counters. */
	bool is_binary = link->is_binary, creates = is_binary && arguments > 2;
	leveret_request pattern = {
		.operation = up == (step >= 0) ? LEVERET_OP_INCREMENT : LEVERET_OP_DECREMENT,
		.server = -1,
		.number = step < 0 ? 0 - (uint64_t) step : (uint64_t) step,
		.create = creates,
		.initial = (uint64_t) initial,
		.exptime = exptime,
	};
	if (Z_TYPE_P(key) == IS_ARRAY) {
		count_many(object, &pattern, Z_ARRVAL_P(key), return_value);
		return;
	}
	zend_string *name = zval_get_string(key);
	uint64_t number;
	if (!EG(exception) && mmc_call(object, &pattern, name, &number) == LEVERET_CODE_SUCCESS) {
		RETVAL_LONG(as_long(number, is_binary));
	} else {
		RETVAL_FALSE;
	}
	zend_string_release(name);
}

/* clang-format off */
PHP_FUNCTION(memcache_increment) { mmc_count(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
PHP_FUNCTION(memcache_decrement) { mmc_count(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
/* clang-format on */
