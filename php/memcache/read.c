/* memcache/read.c: get(). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "base/bytes.h"
#include "codec/decode.h"
#include "decoded/table.h"
#include "memcache.h"

/* Gives a by-reference argument of get() its value. */
static void tell_long(zval *argument, uint64_t number)
{
	if (argument) {
		ZEND_TRY_ASSIGN_REF_LONG(argument, (zend_long) number);
	}
}

/* --- one item --- */

/* The view of the decoded-value cache; php_leveret_mmc_decode has no options. */
#define VIEW PHP_LEVERET_VIEW(LEVERET_PECL_MEMCACHE, 0)

static void mmc_get_one(zval *object, mmc_link *link, zend_string *name, zval *flags, zval *cas, zval *return_value)
{
	RETVAL_FALSE;
	zend_string *key = php_leveret_mmc_key(link, name);
	if (!key) {
		return;
	}
	client_copy copy = { 0 };
	mmc_failures failures = { 0 };
	bool found;
	leveret_reading reading;
	uint64_t number = 0;
	leveret_arena *arena = leveret_pool_arena(php_leveret_mmc_pool_of(link), php_leveret_looked());
	if (arena && EXPECTED(!link->servers[0].is_off)) {
		if (!flags && !cas && php_leveret_decoded_get(arena, VIEW, key, 0, return_value)) {
			zend_string_release(key);
			return;
		}
		found = client_copy_item(arena, key, cas != NULL, &copy, &reading) == LEVERET_OK;
		/* Asked for before user code runs, which may close the arena. */
		number = found && !php_leveret_is_string(&copy.meta) ? leveret_arena_number(arena) : 0;
	} else {
		leveret_request request = {
			.operation = LEVERET_OP_GET,
			.key = php_leveret_string(key),
			.with_cas = cas != NULL,
			.server = -1,
		};
		found = php_leveret_mmc_call(link, &request, &copy, &failures) == LEVERET_CODE_SUCCESS;
	}
	php_leveret_mmc_failures_tell(object, &failures);
	zval value;
	if (found && !EG(exception) && php_leveret_mmc_decode(&copy, &value)) {
		if (Z_TYPE(value) == IS_ARRAY && number) {
			php_leveret_decoded_offer(number, VIEW, key, &reading.found.version, Z_ARR(value));
		}
		tell_long(flags, (uint64_t) php_leveret_mmc_flags(&copy.meta));
		tell_long(cas, copy.cas);
		/* The original does not tell a null from nothing. */
		if (Z_TYPE(value) != IS_NULL) {
			RETVAL_COPY_VALUE(&value);
		}
	}
	zend_string_release(key);
	php_leveret_client_copy_free(&copy);
}

/* --- many items --- */

/* A key as the script names it, and as it is sent. */
typedef struct asked {
	zend_string *name, *key;
} asked;

static void free_asked(asked *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		zend_string_release(list[i].name);
		zend_string_release(list[i].key);
	}
	efree(list);
}

/* First all that may run user code (__toString), then the link. */
static asked *mmc_read_take_keys(zval *object, HashTable *names, uint32_t *count)
{
	asked *list = safe_emalloc(zend_hash_num_elements(names) + 1, sizeof(*list), 0);
	zval *entry;
	*count = 0;
	ZEND_HASH_FOREACH_VAL(names, entry) {
		zend_string *name = zval_get_string(entry);
		mmc_link *link = EG(exception) ? NULL : php_leveret_mmc_link_of(object);
		zend_string *key = link ? php_leveret_mmc_key(link, name) : NULL;
		if (key) {
			list[(*count)++] = (asked) { .name = name, .key = key };
			continue;
		}
		zend_string_release(name);
		if (!link) {
			break;
		}
	}
	ZEND_HASH_FOREACH_END();
	return list;
}

static void get_copies(
	mmc_link *link, const asked *list, uint32_t count, bool with_cas, client_copies *copies, mmc_failures *failures)
{
	leveret_pool *pool = php_leveret_mmc_begin(link);
	uint32_t sent = 0, *numbers = safe_emalloc(count + 1, sizeof(*numbers), 0);
	for (uint32_t i = 0; i < count; i++) {
		leveret_request request = {
			.operation = LEVERET_OP_GET,
			.key = php_leveret_string(list[i].key),
			.with_cas = with_cas,
			.server = -1,
		};
		if (leveret_pool_add(pool, &request) == LEVERET_CODE_SUCCESS) {
			numbers[sent++] = i;
		}
	}
	if (sent) {
		php_leveret_mmc_run(link, copies, failures);
	}
	/* With numbers in place of keys on the wire, the original names items as the script did; else as the server did. */
	for (uint32_t i = 0; link->is_binary && i < copies->count; i++) {
		zend_string_release(copies->list[i].key);
		copies->list[i].key = zend_string_copy(list[numbers[copies->list[i].request]].name);
	}
	efree(numbers);
}

/* Array key => value; those of the flags and the cas tokens go to the arguments, if anything was found. */
static void give_values(client_copies *copies, zval *flags, zval *cas, zval *return_value)
{
	zval all_flags, all_cas;
	array_init(&all_flags);
	array_init(&all_cas);
	for (uint32_t i = 0; i < copies->count && !EG(exception); i++) {
		client_copy *copy = &copies->list[i];
		zval value, number;
		if (copy->code != LEVERET_CODE_SUCCESS || !php_leveret_mmc_decode(copy, &value)) {
			continue;
		}
		zend_symtable_update(Z_ARRVAL_P(return_value), copy->key, &value);
		ZVAL_LONG(&number, php_leveret_mmc_flags(&copy->meta));
		zend_symtable_update(Z_ARRVAL(all_flags), copy->key, &number);
		ZVAL_LONG(&number, (zend_long) copy->cas);
		zend_symtable_update(Z_ARRVAL(all_cas), copy->key, &number);
	}
	bool found = zend_hash_num_elements(Z_ARRVAL(all_flags)) > 0 && !EG(exception);
	if (flags && found) {
		ZEND_TRY_ASSIGN_REF_ARR(flags, Z_ARR(all_flags));
	} else {
		zval_ptr_dtor(&all_flags);
	}
	if (cas && found) {
		ZEND_TRY_ASSIGN_REF_ARR(cas, Z_ARR(all_cas));
	} else {
		zval_ptr_dtor(&all_cas);
	}
}

static void get_many(zval *object, HashTable *names, zval *flags, zval *cas, zval *return_value)
{
	client_copies copies = { 0 };
	mmc_failures failures = { 0 };
	uint32_t count;
	asked *list = mmc_read_take_keys(object, names, &count);
	mmc_link *link = EG(exception) ? NULL : php_leveret_mmc_link_of(object);
	RETVAL_FALSE;
	if (link && link->count) {
		get_copies(link, list, count, cas != NULL, &copies, &failures);
		array_init(return_value);
	}
	free_asked(list, count);
	php_leveret_mmc_failures_tell(object, &failures);
	if (Z_TYPE_P(return_value) == IS_ARRAY) {
		give_values(&copies, flags, cas, return_value);
	}
	php_leveret_client_copies_free(&copies);
}

PHP_FUNCTION(memcache_get)
{
	zval *object = getThis(), *key, *flags = NULL, *cas = NULL;
	MMC_ARGUMENTS(1, 3)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_ZVAL(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(flags)
		Z_PARAM_ZVAL(cas)
	ZEND_PARSE_PARAMETERS_END();
	if (Z_TYPE_P(key) == IS_ARRAY) {
		if (!php_leveret_mmc_link_of(object)) {
			RETURN_FALSE;
		}
		get_many(object, Z_ARRVAL_P(key), flags, cas, return_value);
		return;
	}
	zend_string *name = zval_get_string(key);
	mmc_link *link = EG(exception) ? NULL : php_leveret_mmc_link_of(object);
	if (link && link->count) {
		mmc_get_one(object, link, name, flags, cas, return_value);
	} else {
		RETVAL_FALSE;
	}
	zend_string_release(name);
}
