/* apcu/info.c: apcu_cache_info, apcu_sma_info, apcu_key_info: the arena's state under the key names of APCu, which the
 * page apc.php and monitoring read. Counters are floats there, as they are in APCu.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "base/walk.h"
#include "apcu.h"
#include "fields.h"
#include "module.h"

/* What cache_list says of each item, with the fields that are the same for all. */
static HashTable *item_fields(void)
{
	static const apcu_field in_order[] = { APCU_INFO, APCU_TTL, APCU_NUM_HITS, APCU_MTIME, APCU_CREATION_TIME,
		APCU_DELETION_TIME, APCU_ACCESS_TIME, APCU_REF_COUNT, APCU_MEM_SIZE };
	HashTable *fields = zend_new_array(sizeof(in_order) / sizeof(in_order[0]));
	for (size_t i = 0; i < sizeof(in_order) / sizeof(in_order[0]); i++) {
		php_leveret_apcu_add_long(fields, in_order[i], 0);
	}
	return fields;
}

static void apcu_add_item(HashTable *list, HashTable *fields, zend_long boot, const leveret_record *record)
{
	const leveret_found *found = &record->found;
	zend_long mtime = boot + found->mtime;
	zval item;
	ZVAL_ARR(&item, zend_array_dup(fields));
	Bucket *field = Z_ARRVAL(item)->arData;
	ZVAL_NEW_STR(&field[0].val, zend_string_init((const char *) (record + 1), record->key_len, 0));
	ZVAL_LONG(&field[1].val, apcu_ttl(found));
	ZVAL_DOUBLE(&field[2].val, found->hits);
	ZVAL_LONG(&field[3].val, mtime);
	ZVAL_LONG(&field[4].val, mtime);
	ZVAL_LONG(&field[6].val, mtime);
	ZVAL_LONG(&field[8].val, apcu_mem_size(found, record->key_len));
	zend_hash_next_index_insert_new(list, &item);
}

/* How many items each slot of the index has; empty slots are left out. A walk meets the items of a slot one after the other. */
typedef struct slot_count {
	HashTable *distribution;
	uint64_t slot;
	zval *count; /* of `slot`; NULL before the first item */
} slot_count;

static void count_slot(slot_count *counts, uint64_t slot)
{
	if (!counts->count || counts->slot != slot) {
		zval zero;
		ZVAL_LONG(&zero, 0);
		counts->slot = slot;
		counts->count = zend_hash_index_lookup(counts->distribution, (zend_ulong) slot);
		if (Z_TYPE_P(counts->count) != IS_LONG) {
			ZVAL_COPY_VALUE(counts->count, &zero);
		}
	}
	Z_LVAL_P(counts->count)++;
}

/* `slots`: how many the cache has; one that it has got since counts as the last. */
static void list_items(leveret_arena *arena, uint64_t slots, HashTable *list, HashTable *distribution)
{
	const leveret_record *record;
	php_leveret_walk walk;
	slot_count counts = { .distribution = distribution };
	HashTable *fields = item_fields();
	zend_long boot = leveret_unix_time(0);
	php_leveret_walk_start(&walk, arena, apcu_now(), false);
	while ((record = php_leveret_walk_next(&walk))) {
		apcu_add_item(list, fields, boot, record);
		count_slot(&counts, MIN(record->bucket, slots - 1));
	}
	php_leveret_walk_end(&walk);
	zend_array_destroy(fields);
}

/* `with_room`: also asks the file system for its free space. NULL: there is no arena, or it is lost. */
static leveret_arena *arena_and_stats(bool with_room, leveret_stats *stats)
{
	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	leveret_status status = arena ? apcu_noticed(arena, leveret_get_counts(arena, with_room, stats)) : LEVERET_FAILED;
	/* False means a disabled cache here: the new arena is asked, once. */
	if (UNEXPECTED(status == LEVERET_LOST) && (arena = apcu_begin(&now))) {
		status = apcu_noticed(arena, leveret_get_counts(arena, with_room, stats));
	}
	return status == LEVERET_OK ? arena : NULL;
}

PHP_FUNCTION(apcu_cache_info)
{
	bool limited = false;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(limited)
	ZEND_PARSE_PARAMETERS_END();

	leveret_stats stats;
	leveret_arena *arena = arena_and_stats(false, &stats);
	if (!arena) {
		php_error_docref(
			NULL, E_WARNING, "No APC info available.  Perhaps APC is not enabled? Check apc.enabled in your ini file");
		RETURN_FALSE;
	}
	zval list, deleted, distribution;
	zend_long entries = stats.items;
	if (!limited) {
		/* A damaged arena may count any number. */
		array_init_size(&list, MIN(stats.items, 64 * 1024));
		array_init(&deleted);
		array_init(&distribution);
		list_items(arena, stats.buckets, Z_ARRVAL(list), Z_ARRVAL(distribution));
		/* The number of listed items: the arena's count includes expired items. */
		entries = zend_hash_num_elements(Z_ARRVAL(list));
	}
	array_init_size(return_value, 13);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_NUM_SLOTS, stats.buckets);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_TTL, APCU_G(ttl));
	php_leveret_apcu_add_double(Z_ARRVAL_P(return_value), APCU_NUM_HITS, (double) stats.hits);
	php_leveret_apcu_add_double(Z_ARRVAL_P(return_value), APCU_NUM_MISSES, (double) stats.misses);
	php_leveret_apcu_add_double(Z_ARRVAL_P(return_value), APCU_NUM_INSERTS, (double) stats.sets);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_NUM_ENTRIES, entries);
	php_leveret_apcu_add_double(Z_ARRVAL_P(return_value), APCU_EXPUNGES, (double) stats.evicted);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_START_TIME, stats.created_unix);
	php_leveret_apcu_add_double(Z_ARRVAL_P(return_value), APCU_MEM_SIZE, (double) stats.item_bytes);
	php_leveret_apcu_add_text(Z_ARRVAL_P(return_value), APCU_MEMORY_TYPE, APCU_TEXT_MMAP);
	if (limited) {
		return;
	}
	php_leveret_apcu_add(Z_ARRVAL_P(return_value), APCU_CACHE_LIST, &list);
	php_leveret_apcu_add(Z_ARRVAL_P(return_value), APCU_DELETED_LIST, &deleted);
	php_leveret_apcu_add(Z_ARRVAL_P(return_value), APCU_SLOT_DISTRIBUTION, &distribution);
}

PHP_FUNCTION(apcu_sma_info)
{
	bool limited = false;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(limited)
	ZEND_PARSE_PARAMETERS_END();

	leveret_stats stats;
	if (!arena_and_stats(true, &stats)) {
		php_error_docref(NULL, E_WARNING, "No APC SMA info available.  Perhaps APC is disabled via apc.enabled?");
		RETURN_FALSE;
	}
	array_init_size(return_value, 4);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_NUM_SEG, 1);
	php_leveret_apcu_add_double(Z_ARRVAL_P(return_value), APCU_SEG_SIZE, (double) stats.memory_limit);
	php_leveret_apcu_add_double(Z_ARRVAL_P(return_value), APCU_AVAIL_MEM, (double) stats.memory_free);
	if (limited) {
		return;
	}
	/* An arena does not fragment: the free memory is one block. */
	zval lists, blocks, block;
	array_init(&lists);
	array_init(&blocks);
	if (stats.memory_free) {
		array_init(&block);
		php_leveret_apcu_add_long(Z_ARRVAL(block), APCU_SIZE, stats.memory_free);
		php_leveret_apcu_add_long(Z_ARRVAL(block), APCU_OFFSET, stats.memory_limit - stats.memory_free);
		add_next_index_zval(&blocks, &block);
	}
	add_next_index_zval(&lists, &blocks);
	php_leveret_apcu_add(Z_ARRVAL_P(return_value), APCU_BLOCK_LISTS, &lists);
}

PHP_FUNCTION(apcu_key_info)
{
	zend_string *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();

	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	leveret_found found;
	if (!arena || apcu_noticed(arena, leveret_peek(arena, php_leveret_string(key), now, &found)) != LEVERET_OK) {
		RETURN_NULL();
	}
	zend_long mtime = leveret_unix_time(found.mtime);
	array_init_size(return_value, 7);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_HITS, found.hits);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_ACCESS_TIME, mtime);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_MTIME, mtime);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_CREATION_TIME, mtime);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_DELETION_TIME, 0);
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_TTL, apcu_ttl(&found));
	php_leveret_apcu_add_long(Z_ARRVAL_P(return_value), APCU_REFS, 0);
}
