/* apcu/iterator.c: the class APCUIterator.
 *
 * Each step of the walk is done before the value is decoded: __unserialize may call any method of the same iterator.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "codec/value.h"
#include "apcu.h"
#include "fields.h"
#include "search.h"

#include "ext/pcre/php_pcre.h"
#include "zend_exceptions.h"
#include "zend_interfaces.h"

#include "iterator_arginfo.h"

/* Fields that an item is asked for. */
#define ALL_OF_ITEMS \
	(APC_ITER_VALUE | APC_ITER_NUM_HITS | APC_ITER_MTIME | APC_ITER_CTIME | APC_ITER_ATIME | APC_ITER_MEM_SIZE \
		| APC_ITER_TTL)

zend_class_entry *php_leveret_apcu_iterator_ce;
static zend_object_handlers handlers;

typedef struct iterator {
	leveret_arena *arena; /* NULL until the constructor was called */
	zend_long format;
	HashTable *fields; /* of `format`, to be copied for each item */
	apcu_search search;
	apcu_position position;
	zend_long boot; /* the Unix time of the arena clock's zero, by the setting of the wall clock when the walk began */
	bool started;
	zend_string *key; /* of the current item; NULL before the start and past the end */
	zval item;
	bool counted, hits_counted;
	zend_long hits, size, count;
	zend_object std;
} iterator;

static iterator *iterator_of(zend_object *object)
{
	return (iterator *) ((char *) object - offsetof(iterator, std));
}

/* The value of an item found earlier; its present value if it was moved or stored again since. False: gone or
 * unreadable, or an exception is pending. */
static bool apcu_read_value(leveret_arena *arena, zend_string *key, leveret_found *found, zval *value)
{
	leveret_reading reading = { .found = *found, .how = LEVERET_READ_UNTRACED, .now = apcu_now() };
	if (php_leveret_read(arena, key, &reading, value) != PHP_LEVERET_HIT) {
		return false;
	}
	*found = reading.found;
	return true;
}

static HashTable *make_fields(zend_long format)
{
	static const struct {
		zend_long wanted;
		apcu_field field;
	} in_order[] = {
		{ APC_ITER_TYPE, APCU_TYPE },
		{ APC_ITER_KEY, APCU_KEY },
		{ APC_ITER_VALUE, APCU_VALUE },
		{ APC_ITER_NUM_HITS, APCU_NUM_HITS },
		{ APC_ITER_MTIME, APCU_MTIME },
		{ APC_ITER_CTIME, APCU_CREATION_TIME },
		{ APC_ITER_DTIME, APCU_DELETION_TIME },
		{ APC_ITER_ATIME, APCU_ACCESS_TIME },
		{ APC_ITER_REFCOUNT, APCU_REF_COUNT },
		{ APC_ITER_MEM_SIZE, APCU_MEM_SIZE },
		{ APC_ITER_TTL, APCU_TTL },
	};
	HashTable *fields = zend_new_array(8);
	for (size_t i = 0; i < sizeof(in_order) / sizeof(in_order[0]); i++) {
		if (!(format & in_order[i].wanted)) {
			continue;
		}
		if (in_order[i].field == APCU_TYPE) {
			php_leveret_apcu_add_text(fields, APCU_TYPE, APCU_TEXT_USER);
		} else {
			php_leveret_apcu_add_long(fields, in_order[i].field, 0);
		}
	}
	return fields;
}

static bool make_item(iterator *it, zend_string *key, leveret_found *found, zval *item)
{
	zend_long format = it->format, mtime = it->boot + found->mtime;
	/* Copied before the value is read: __unserialize may call the constructor, with another format. */
	HashTable *fields = zend_array_dup(it->fields);
	zval value;
	if ((format & APC_ITER_VALUE) && !apcu_read_value(it->arena, key, found, &value)) {
		zend_array_destroy(fields);
		return false;
	}
	Bucket *field = fields->arData;
	if (format & APC_ITER_TYPE) {
		field++;
	}
	if (format & APC_ITER_KEY) {
		ZVAL_STR_COPY(&field++->val, key);
	}
	if (format & APC_ITER_VALUE) {
		ZVAL_COPY_VALUE(&field++->val, &value);
	}
	if (format & APC_ITER_NUM_HITS) {
		ZVAL_LONG(&field++->val, found->hits);
	}
	if (format & APC_ITER_MTIME) {
		ZVAL_LONG(&field++->val, mtime);
	}
	if (format & APC_ITER_CTIME) {
		ZVAL_LONG(&field++->val, mtime);
	}
	if (format & APC_ITER_DTIME) {
		field++;
	}
	if (format & APC_ITER_ATIME) {
		ZVAL_LONG(&field++->val, mtime);
	}
	if (format & APC_ITER_REFCOUNT) {
		field++;
	}
	if (format & APC_ITER_MEM_SIZE) {
		ZVAL_LONG(&field++->val, apcu_mem_size(found, ZSTR_LEN(key)));
	}
	if (format & APC_ITER_TTL) {
		ZVAL_LONG(&field++->val, apcu_ttl(found));
	}
	ZVAL_ARR(item, fields);
	return true;
}

/* `item` NULL: there is no current item. */
static void apcu_set_current(iterator *it, zend_string *key, const zval *item)
{
	zend_string *old_key = it->key;
	zval old_item;
	ZVAL_COPY_VALUE(&old_item, &it->item);
	it->key = key;
	if (item) {
		ZVAL_COPY_VALUE(&it->item, item);
	} else {
		ZVAL_UNDEF(&it->item);
	}
	/* Last, as a destructor may come back to this iterator. */
	if (old_key) {
		zend_string_release(old_key);
	}
	zval_ptr_dtor(&old_item);
}

static void advance(iterator *it)
{
	leveret_found found;
	zend_string *key;
	zval item;
	while (php_leveret_apcu_position_next(&it->search, &it->position, &found, &key)) {
		if (make_item(it, key, &found, &item)) {
			apcu_set_current(it, key, &item);
			return;
		}
		zend_string_release(key);
		if (EG(exception)) {
			break;
		}
	}
	apcu_set_current(it, NULL, NULL);
}

static void rewind_to_start(iterator *it)
{
	php_leveret_apcu_position_end(&it->position);
	php_leveret_apcu_position_start(it->arena, &it->search, &it->position);
	it->boot = leveret_unix_time(0);
	it->started = true;
	advance(it);
}

/* False: only a walk tells. */
static bool count_all(iterator *it)
{
	uint64_t items, bytes;
	if (it->search.keys || it->search.regex
		|| apcu_noticed(it->arena, leveret_totals(it->arena, apcu_now(), &items, &bytes)) != LEVERET_OK) {
		return false;
	}
	it->count = (zend_long) items;
	it->size = (zend_long) bytes;
	return true;
}

static void count_by_walk(iterator *it)
{
	leveret_found found;
	zend_string *key;
	apcu_position position;
	zend_long hits = 0, size = 0, count = 0;
	apcu_search search = it->search;
	search.keys_only = false;
	php_leveret_apcu_position_start(it->arena, &search, &position);
	while (php_leveret_apcu_position_next(&search, &position, &found, &key)) {
		hits += found.hits;
		size += apcu_mem_size(&found, ZSTR_LEN(key));
		count++;
		zend_string_release(key);
	}
	php_leveret_apcu_position_end(&position);
	it->hits = hits;
	it->hits_counted = true;
	if (!it->counted) {
		it->size = size;
		it->count = count;
	}
}

static void count_totals(iterator *it, bool with_hits)
{
	if (with_hits ? !it->hits_counted : !it->counted && !count_all(it)) {
		count_by_walk(it);
	}
	it->counted = true;
}

/* --- the object --- */

static zend_object *iterator_create(zend_class_entry *class)
{
	iterator *it = zend_object_alloc(sizeof(*it), class);
	memset(it, 0, offsetof(iterator, std));
	ZVAL_UNDEF(&it->item);
	zend_object_std_init(&it->std, class);
	object_properties_init(&it->std, class);
	it->std.handlers = &handlers;
	return &it->std;
}

static void fields_free(iterator *it)
{
	if (it->fields) {
		zend_array_destroy(it->fields);
		it->fields = NULL;
	}
}

/* Back to the state before the constructor. */
static void iterator_reset(iterator *it)
{
	php_leveret_apcu_position_end(&it->position);
	php_leveret_apcu_search_free(&it->search);
	fields_free(it);
	it->arena = NULL;
	it->started = it->counted = it->hits_counted = false;
	apcu_set_current(it, NULL, NULL);
}

static void apcu_iterator_free(zend_object *object)
{
	iterator_reset(iterator_of(object));
	zend_object_std_dtor(object);
}

/* Only the current item can hold objects, and so be part of a cycle. */
static HashTable *iterator_get_gc(zend_object *object, zval **table, int *count)
{
	iterator *it = iterator_of(object);
	*table = &it->item;
	*count = Z_ISUNDEF(it->item) ? 0 : 1;
	return zend_std_get_properties(object);
}

/* NULL, with an exception, when a subclass has not called the constructor. */
static iterator *initialized(zend_object *object)
{
	iterator *it = iterator_of(object);
	if (!it->arena) {
		zend_throw_error(NULL, "Trying to use uninitialized APCUIterator");
		return NULL;
	}
	return it;
}

/* The same at the first item, if nothing has been read yet. */
static iterator *started(zend_object *object)
{
	iterator *it = initialized(object);
	if (it && !it->started) {
		rewind_to_start(it);
	}
	return it;
}

static HashTable *set_of_keys(HashTable *list)
{
	HashTable *set = zend_new_array(zend_hash_num_elements(list));
	zval *key;
	ZEND_HASH_FOREACH_VAL(list, key) {
		ZVAL_DEREF(key);
		if (Z_TYPE_P(key) == IS_STRING) {
			zend_hash_add_empty_element(set, Z_STR_P(key));
		}
	}
	ZEND_HASH_FOREACH_END();
	return set;
}

PHP_METHOD(APCUIterator, __construct)
{
	zval *search = NULL;
	zend_long format = APC_ITER_ALL, chunk_size = 0, list = APC_LIST_ACTIVE;
	ZEND_PARSE_PARAMETERS_START(0, 4)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(search)
		Z_PARAM_LONG(format)
		Z_PARAM_LONG(chunk_size)
		Z_PARAM_LONG(list)
	ZEND_PARSE_PARAMETERS_END();

	iterator *it = iterator_of(Z_OBJ_P(ZEND_THIS));
	apcu_search wanted = { 0 };
	iterator_reset(it);
	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	if (!arena) {
		zend_throw_error(NULL, "APC must be enabled to use APCUIterator");
		return;
	}
	if (chunk_size < 0) {
		php_error_docref(NULL, E_ERROR, "APCUIterator chunk size must be 0 or greater");
		return;
	}
	if (list != APC_LIST_ACTIVE && list != APC_LIST_DELETED) {
		php_error_docref(NULL, E_WARNING, "APCUIterator invalid list type");
		return;
	}
	if (list == APC_LIST_DELETED) {
		wanted.keys = zend_new_array(0); /* deleted items are gone at once */
	} else if (search && Z_TYPE_P(search) == IS_STRING && Z_STRLEN_P(search)) {
		if (!pcre_get_compiled_regex_cache(Z_STR_P(search))) {
			php_error_docref(NULL, E_ERROR, "Could not compile regular expression: %s", Z_STRVAL_P(search));
			return;
		}
		wanted.regex = zend_string_copy(Z_STR_P(search));
	} else if (search && Z_TYPE_P(search) == IS_ARRAY) {
		wanted.keys = set_of_keys(Z_ARRVAL_P(search));
	}
	/* The destructor of the last current item may have rewound the iterator in between. */
	php_leveret_apcu_search_free(&it->search);
	fields_free(it);
	wanted.keys_only = (format & ALL_OF_ITEMS) == 0;
	it->search = wanted;
	it->format = format;
	it->fields = make_fields(format);
	it->arena = arena;
	it->started = it->counted = it->hits_counted = false;
}

/* --- its steps, for the methods and for foreach --- */

static void step_rewind(zend_object *object)
{
	iterator *it = initialized(object);
	if (it) {
		rewind_to_start(it);
	}
}

static void step_next(zend_object *object)
{
	iterator *it = started(object);
	if (it && it->key) {
		advance(it);
	}
}

static bool step_valid(zend_object *object)
{
	iterator *it = started(object);
	return it && it->key;
}

/* NULL: an exception is pending. */
static iterator *step_at(zend_object *object, const char *method)
{
	iterator *it = started(object);
	if (!it || EG(exception)) {
		return NULL;
	}
	if (!it->key) {
		zend_throw_error(NULL, "Cannot call %s() on invalid iterator", method);
		return NULL;
	}
	return it;
}

static void step_key(zend_object *object, zval *key)
{
	iterator *it = step_at(object, "key");
	if (it) {
		ZVAL_STR_COPY(key, it->key);
	}
}

PHP_METHOD(APCUIterator, rewind)
{
	ZEND_PARSE_PARAMETERS_NONE();
	step_rewind(Z_OBJ_P(ZEND_THIS));
}

PHP_METHOD(APCUIterator, next)
{
	ZEND_PARSE_PARAMETERS_NONE();
	step_next(Z_OBJ_P(ZEND_THIS));
}

PHP_METHOD(APCUIterator, valid)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_BOOL(step_valid(Z_OBJ_P(ZEND_THIS)));
}

PHP_METHOD(APCUIterator, key)
{
	ZEND_PARSE_PARAMETERS_NONE();
	step_key(Z_OBJ_P(ZEND_THIS), return_value);
}

PHP_METHOD(APCUIterator, current)
{
	ZEND_PARSE_PARAMETERS_NONE();
	iterator *it = step_at(Z_OBJ_P(ZEND_THIS), "current");
	if (it) {
		RETURN_COPY(&it->item);
	}
}

/* foreach, and what else asks an iterator without its methods: the same steps. A class that overrides one of the methods does not come
 * here, since PHP then calls the methods. */

static void foreach_rewind(zend_object_iterator *base)
{
	step_rewind(Z_OBJ(base->data));
}

static void foreach_next(zend_object_iterator *base)
{
	step_next(Z_OBJ(base->data));
}

static int foreach_valid(zend_object_iterator *base)
{
	return step_valid(Z_OBJ(base->data)) ? SUCCESS : FAILURE;
}

static void foreach_key(zend_object_iterator *base, zval *key)
{
	ZVAL_NULL(key);
	step_key(Z_OBJ(base->data), key);
}

static zval *foreach_value(zend_object_iterator *base)
{
	iterator *it = step_at(Z_OBJ(base->data), "current");
	return it ? &it->item : NULL;
}

static void foreach_free(zend_object_iterator *base)
{
	zval_ptr_dtor(&base->data);
}

static HashTable *foreach_get_gc(zend_object_iterator *base, zval **table, int *count)
{
	*table = &base->data;
	*count = 1;
	return NULL;
}

static const zend_object_iterator_funcs foreach_funcs = {
	.dtor = foreach_free,
	.valid = foreach_valid,
	.get_current_data = foreach_value,
	.get_current_key = foreach_key,
	.move_forward = foreach_next,
	.rewind = foreach_rewind,
	.get_gc = foreach_get_gc,
};

static zend_object_iterator *iterator_foreach(zend_class_entry *class, zval *object, int by_ref)
{
	if (by_ref) {
		zend_throw_error(NULL, "An iterator cannot be used with foreach by reference");
		return NULL;
	}
	zend_object_iterator *iterator = ecalloc(1, sizeof(*iterator));
	zend_iterator_init(iterator);
	iterator->funcs = &foreach_funcs;
	ZVAL_OBJ_COPY(&iterator->data, Z_OBJ_P(object));
	return iterator;
}

/* --- totals --- */

static void return_total(zend_object *object, size_t offset, zval *return_value)
{
	iterator *it = initialized(object);
	if (it) {
		count_totals(it, offset == offsetof(iterator, hits));
		ZVAL_LONG(return_value, *(zend_long *) ((char *) it + offset));
	}
}

PHP_METHOD(APCUIterator, getTotalHits)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_total(Z_OBJ_P(ZEND_THIS), offsetof(iterator, hits), return_value);
}

PHP_METHOD(APCUIterator, getTotalSize)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_total(Z_OBJ_P(ZEND_THIS), offsetof(iterator, size), return_value);
}

PHP_METHOD(APCUIterator, getTotalCount)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_total(Z_OBJ_P(ZEND_THIS), offsetof(iterator, count), return_value);
}

bool php_leveret_apcu_iterator_delete(zend_object *object)
{
	iterator *it = initialized(object);
	if (!it) {
		return false;
	}
	leveret_found found;
	zend_string *key;
	apcu_position position;
	bool all = true;
	apcu_search search = it->search;
	search.keys_only = true;
	php_leveret_apcu_position_start(it->arena, &search, &position);
	while (php_leveret_apcu_position_next(&search, &position, &found, &key)) {
		leveret_status status = apcu_noticed(it->arena, leveret_delete(it->arena, php_leveret_string(key), apcu_now()));
		/* Another process may have deleted it already. */
		all = all && (status == LEVERET_OK || status == LEVERET_MISS);
		zend_string_release(key);
	}
	php_leveret_apcu_position_end(&position);
	return all;
}

void php_leveret_apcu_iterator_minit(int module_number)
{
	php_leveret_apcu_fields_minit();
	php_leveret_apcu_iterator_ce = register_class_APCUIterator(zend_ce_iterator);
	php_leveret_apcu_iterator_ce->create_object = iterator_create;
	php_leveret_apcu_iterator_ce->get_iterator = iterator_foreach;
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = offsetof(iterator, std);
	handlers.free_obj = apcu_iterator_free;
	handlers.get_gc = iterator_get_gc;
	handlers.clone_obj = NULL;
}
