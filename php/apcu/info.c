/* apcu/info.c: apcu_cache_info, apcu_sma_info, apcu_key_info: the arena's state under the key names of APCu, which the
 * page apc.php and monitoring read. Counters are floats there, as they are in APCu.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "base/walk.h"
#include "apcu.h"
#include "module.h"

static void apcu_add_item(zval *list, const leveret_record *record)
{
	const leveret_found *found = &record->found;
	zend_long mtime = leveret_unix_time(found->mtime);
	zval item;
	array_init_size(&item, 9);
	add_assoc_stringl(&item, "info", (const char *) (record + 1), record->key_len);
	add_assoc_long(&item, "ttl", apcu_ttl(found));
	add_assoc_double(&item, "num_hits", found->hits);
	add_assoc_long(&item, "mtime", mtime);
	add_assoc_long(&item, "creation_time", mtime);
	add_assoc_long(&item, "deletion_time", 0);
	add_assoc_long(&item, "access_time", mtime);
	add_assoc_long(&item, "ref_count", 0);
	add_assoc_long(&item, "mem_size", apcu_mem_size(found, record->key_len));
	add_next_index_zval(list, &item);
}

/* How many items each slot of the index has; empty slots are left out. */
static void count_slot(zval *distribution, const leveret_found *found, uint64_t slots)
{
	zend_ulong slot = slots ? (zend_ulong) (found->version.hash % slots) : 0;
	zval *count = zend_hash_index_find(Z_ARRVAL_P(distribution), slot);
	if (count) {
		Z_LVAL_P(count)++;
	} else {
		add_index_long(distribution, slot, 1);
	}
}

static void list_items(leveret_arena *arena, uint64_t slots, zval *list, zval *distribution)
{
	const leveret_record *record;
	php_leveret_walk walk;
	php_leveret_walk_start(&walk, arena, apcu_now());
	while ((record = php_leveret_walk_next(&walk))) {
		apcu_add_item(list, record);
		count_slot(distribution, &record->found, slots);
	}
	php_leveret_walk_end(&walk);
}

/* NULL: there is no arena, or none any more. */
static leveret_arena *arena_and_stats(leveret_stats *stats)
{
	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	leveret_status status = arena ? apcu_noticed(arena, leveret_get_stats(arena, stats)) : LEVERET_FAILED;
	/* False means a disabled cache here: the new arena is asked, once. */
	if (UNEXPECTED(status == LEVERET_LOST) && (arena = apcu_begin(&now))) {
		status = apcu_noticed(arena, leveret_get_stats(arena, stats));
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
	leveret_arena *arena = arena_and_stats(&stats);
	if (!arena) {
		php_error_docref(
			NULL, E_WARNING, "No APC info available.  Perhaps APC is not enabled? Check apc.enabled in your ini file");
		RETURN_FALSE;
	}
	array_init_size(return_value, 13);
	add_assoc_long(return_value, "num_slots", stats.buckets);
	add_assoc_long(return_value, "ttl", APCU_G(ttl));
	add_assoc_double(return_value, "num_hits", (double) stats.hits);
	add_assoc_double(return_value, "num_misses", (double) stats.misses);
	add_assoc_double(return_value, "num_inserts", (double) stats.sets);
	add_assoc_long(return_value, "num_entries", stats.items);
	add_assoc_double(return_value, "expunges", (double) stats.evicted);
	add_assoc_long(return_value, "start_time", stats.created_unix);
	add_assoc_double(return_value, "mem_size", (double) stats.item_bytes);
	add_assoc_string(return_value, "memory_type", "mmap");
	if (limited) {
		return;
	}
	zval list, deleted, distribution;
	array_init(&list);
	array_init(&deleted);
	array_init(&distribution);
	list_items(arena, stats.buckets, &list, &distribution);
	/* As many as are listed: the arena also counts expired items that nobody has met. */
	add_assoc_long(return_value, "num_entries", zend_hash_num_elements(Z_ARRVAL(list)));
	add_assoc_zval(return_value, "cache_list", &list);
	add_assoc_zval(return_value, "deleted_list", &deleted);
	add_assoc_zval(return_value, "slot_distribution", &distribution);
}

PHP_FUNCTION(apcu_sma_info)
{
	bool limited = false;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(limited)
	ZEND_PARSE_PARAMETERS_END();

	leveret_stats stats;
	if (!arena_and_stats(&stats)) {
		php_error_docref(NULL, E_WARNING, "No APC SMA info available.  Perhaps APC is disabled via apc.enabled?");
		RETURN_FALSE;
	}
	array_init_size(return_value, 4);
	add_assoc_long(return_value, "num_seg", 1);
	add_assoc_double(return_value, "seg_size", (double) stats.memory_limit);
	add_assoc_double(return_value, "avail_mem", (double) stats.memory_free);
	if (limited) {
		return;
	}
	/* An arena does not fragment: what is free is one block. */
	zval lists, blocks, block;
	array_init(&lists);
	array_init(&blocks);
	if (stats.memory_free) {
		array_init(&block);
		add_assoc_long(&block, "size", stats.memory_free);
		add_assoc_long(&block, "offset", stats.memory_limit - stats.memory_free);
		add_next_index_zval(&blocks, &block);
	}
	add_next_index_zval(&lists, &blocks);
	add_assoc_zval(return_value, "block_lists", &lists);
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
	add_assoc_long(return_value, "hits", found.hits);
	add_assoc_long(return_value, "access_time", mtime);
	add_assoc_long(return_value, "mtime", mtime);
	add_assoc_long(return_value, "creation_time", mtime);
	add_assoc_long(return_value, "deletion_time", 0);
	add_assoc_long(return_value, "ttl", apcu_ttl(&found));
	add_assoc_long(return_value, "refs", 0);
}
