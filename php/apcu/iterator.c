/* apcu/iterator.c: the class APCUIterator.
 *
 * Each step of the walk is done before the value is decoded: __unserialize may call any method of the same iterator.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "base/walk.h"
#include "codec/value.h"
#include "apcu.h"

#include "ext/pcre/php_pcre.h"
#include "zend_exceptions.h"
#include "zend_interfaces.h"

#include "iterator_arginfo.h"

zend_class_entry *php_leveret_apcu_iterator_ce;
static zend_object_handlers handlers;

/* What the iterator is asked to find. */
typedef struct search {
	zend_string
		*regex; /* NULL: every key. Not its compiled form: that may be gone when a request's last objects are freed */
	HashTable *keys; /* a set of keys to be asked for one by one; NULL: walk through all */
} search;

static void search_free(search *search)
{
	if (search->regex) {
		zend_string_release(search->regex);
		search->regex = NULL;
	}
	if (search->keys) {
		zend_array_destroy(search->keys);
		search->keys = NULL;
	}
}

/* Where a walk stands in it. */
typedef struct position {
	php_leveret_walk walk;
	HashPosition key;
} position;

typedef struct iterator {
	leveret_arena *arena; /* NULL until the constructor was called */
	zend_long format;
	search search;
	position position;
	bool started;
	zend_string *key; /* of the current item; NULL before the start and past the end */
	zval item;
	bool counted;
	zend_long hits, size, count;
	zend_object std;
} iterator;

static iterator *iterator_of(zend_object *object)
{
	return (iterator *) ((char *) object - offsetof(iterator, std));
}

/* --- the walk --- */

static void position_start(iterator *it, position *position)
{
	php_leveret_walk_start(&position->walk, it->arena, apcu_now());
	if (it->search.keys) {
		zend_hash_internal_pointer_reset_ex(it->search.keys, &position->key);
	}
}

static void position_end(position *position)
{
	php_leveret_walk_end(&position->walk);
}

/* By PHP's own function: pcre2_match() has another name where PHP was built with its own PCRE, as in Docker's
 * images. */
static bool matches(pcre_cache_entry *regex, zend_string *key)
{
	zval matched;
	php_pcre_pce_incref(regex);
#if PHP_VERSION_ID >= 80400
	php_pcre_match_impl(regex, key, &matched, NULL, false, 0, 0);
#else
	php_pcre_match_impl(regex, key, &matched, NULL, 0, 0, 0, 0);
#endif
	php_pcre_pce_decref(regex);
	return Z_TYPE(matched) == IS_LONG && Z_LVAL(matched) > 0;
}

/* The next item that is searched for: *key is a new string. False at the end. Runs no user code. */
static bool position_next(iterator *it, position *position, leveret_found *found, zend_string **key)
{
	if (!it->search.keys) {
		const leveret_record *record;
		/* Compiled once and then taken from PHP's cache of regular expressions. */
		pcre_cache_entry *regex = it->search.regex ? pcre_get_compiled_regex_cache(it->search.regex) : NULL;
		if (UNEXPECTED(it->search.regex && !regex)) {
			return false;
		}
		while ((record = php_leveret_walk_next(&position->walk))) {
			*key = zend_string_init((const char *) (record + 1), record->key_len, 0);
			if (!regex || matches(regex, *key)) {
				*found = record->found;
				return true;
			}
			zend_string_efree(*key);
		}
		return false;
	}
	zend_ulong index;
	while (zend_hash_get_current_key_ex(it->search.keys, key, &index, &position->key) == HASH_KEY_IS_STRING) {
		zend_hash_move_forward_ex(it->search.keys, &position->key);
		leveret_bytes name = php_leveret_string(*key);
		if (apcu_noticed(it->arena, leveret_peek(it->arena, name, apcu_now(), found)) == LEVERET_OK) {
			zend_string_addref(*key);
			return true;
		}
	}
	return false;
}

/* The value of an item that was found a while ago: if it has been moved or stored anew since, what is there now. False:
 * gone or unreadable, or an exception is pending. */
static bool apcu_read_value(leveret_arena *arena, zend_string *key, leveret_found *found, zval *value)
{
	leveret_reading reading = { .found = *found, .how = LEVERET_READ_UNTRACED, .now = apcu_now() };
	if (php_leveret_read(arena, key, &reading, value) != PHP_LEVERET_HIT) {
		return false;
	}
	*found = reading.found;
	return true;
}

static bool make_item(iterator *it, zend_string *key, leveret_found *found, zval *item)
{
	zend_long format = it->format, mtime = leveret_unix_time(found->mtime);
	zval value;
	ZVAL_UNDEF(&value);
	if ((format & APC_ITER_VALUE) && !apcu_read_value(it->arena, key, found, &value)) {
		return false;
	}
	array_init(item);
	if (format & APC_ITER_TYPE) {
		add_assoc_string(item, "type", "user");
	}
	if (format & APC_ITER_KEY) {
		add_assoc_str(item, "key", zend_string_copy(key));
	}
	if (format & APC_ITER_VALUE) {
		add_assoc_zval(item, "value", &value);
	}
	if (format & APC_ITER_NUM_HITS) {
		add_assoc_long(item, "num_hits", found->hits);
	}
	if (format & APC_ITER_MTIME) {
		add_assoc_long(item, "mtime", mtime);
	}
	if (format & APC_ITER_CTIME) {
		add_assoc_long(item, "creation_time", mtime);
	}
	if (format & APC_ITER_DTIME) {
		add_assoc_long(item, "deletion_time", 0);
	}
	if (format & APC_ITER_ATIME) {
		add_assoc_long(item, "access_time", mtime);
	}
	if (format & APC_ITER_REFCOUNT) {
		add_assoc_long(item, "ref_count", 0);
	}
	if (format & APC_ITER_MEM_SIZE) {
		add_assoc_long(item, "mem_size", apcu_mem_size(found, ZSTR_LEN(key)));
	}
	if (format & APC_ITER_TTL) {
		add_assoc_long(item, "ttl", apcu_ttl(found));
	}
	return true;
}

static void apcu_set_current(iterator *it, zend_string *key, zval *item)
{
	zend_string *old_key = it->key;
	zval old_item;
	ZVAL_COPY_VALUE(&old_item, &it->item);
	it->key = key;
	ZVAL_COPY_VALUE(&it->item, item);
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
	while (position_next(it, &it->position, &found, &key)) {
		if (make_item(it, key, &found, &item)) {
			apcu_set_current(it, key, &item);
			return;
		}
		zend_string_release(key);
		if (EG(exception)) {
			break;
		}
	}
	ZVAL_UNDEF(&item);
	apcu_set_current(it, NULL, &item);
}

static void rewind_to_start(iterator *it)
{
	position_end(&it->position);
	position_start(it, &it->position);
	it->started = true;
	advance(it);
}

static void count_totals(iterator *it)
{
	leveret_found found;
	zend_string *key;
	position position;
	if (it->counted) {
		return;
	}
	it->hits = it->size = it->count = 0;
	position_start(it, &position);
	while (position_next(it, &position, &found, &key)) {
		it->hits += found.hits;
		it->size += apcu_mem_size(&found, ZSTR_LEN(key));
		it->count++;
		zend_string_release(key);
	}
	position_end(&position);
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

/* Back to the state before the constructor. */
static void iterator_reset(iterator *it)
{
	zval none;
	ZVAL_UNDEF(&none);
	position_end(&it->position);
	search_free(&it->search);
	it->arena = NULL;
	it->started = it->counted = false;
	apcu_set_current(it, NULL, &none);
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
	struct search wanted = { 0 };
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
	/* The destructor of what was the current item may have come here in between. */
	search_free(&it->search);
	it->search = wanted;
	it->format = format;
	it->arena = arena;
	it->started = it->counted = false;
}

PHP_METHOD(APCUIterator, rewind)
{
	ZEND_PARSE_PARAMETERS_NONE();
	iterator *it = initialized(Z_OBJ_P(ZEND_THIS));
	if (it) {
		rewind_to_start(it);
	}
}

PHP_METHOD(APCUIterator, next)
{
	ZEND_PARSE_PARAMETERS_NONE();
	iterator *it = started(Z_OBJ_P(ZEND_THIS));
	if (it && it->key) {
		advance(it);
	}
}

PHP_METHOD(APCUIterator, valid)
{
	ZEND_PARSE_PARAMETERS_NONE();
	iterator *it = started(Z_OBJ_P(ZEND_THIS));
	RETURN_BOOL(it && it->key);
}

PHP_METHOD(APCUIterator, key)
{
	ZEND_PARSE_PARAMETERS_NONE();
	iterator *it = started(Z_OBJ_P(ZEND_THIS));
	if (!it || EG(exception)) {
		return;
	}
	if (!it->key) {
		zend_throw_error(NULL, "Cannot call key() on invalid iterator");
		return;
	}
	RETURN_STR_COPY(it->key);
}

PHP_METHOD(APCUIterator, current)
{
	ZEND_PARSE_PARAMETERS_NONE();
	iterator *it = started(Z_OBJ_P(ZEND_THIS));
	if (!it || EG(exception)) {
		return;
	}
	if (!it->key) {
		zend_throw_error(NULL, "Cannot call current() on invalid iterator");
		return;
	}
	RETURN_COPY(&it->item);
}

static void return_total(zend_object *object, size_t offset, zval *return_value)
{
	iterator *it = initialized(object);
	if (it) {
		count_totals(it);
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
	position position;
	bool all = true;
	position_start(it, &position);
	while (position_next(it, &position, &found, &key)) {
		leveret_status status = apcu_noticed(it->arena, leveret_delete(it->arena, php_leveret_string(key), apcu_now()));
		/* Somebody else may have been faster: gone is gone. */
		all = all && (status == LEVERET_OK || status == LEVERET_MISS);
		zend_string_release(key);
	}
	position_end(&position);
	return all;
}

void php_leveret_apcu_iterator_minit(int module_number)
{
	php_leveret_apcu_iterator_ce = register_class_APCUIterator(zend_ce_iterator);
	php_leveret_apcu_iterator_ce->create_object = iterator_create;
	memcpy(&handlers, &std_object_handlers, sizeof(handlers));
	handlers.offset = offsetof(iterator, std);
	handlers.free_obj = apcu_iterator_free;
	handlers.get_gc = iterator_get_gc;
	handlers.clone_obj = NULL;
}
