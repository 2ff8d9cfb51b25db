/* apcu/fields.h: arrays with named fields, by which apcu_cache_info and its kin tell of the cache and its items. The names are made once,
 * as permanent strings; an array that is told of each item is made once and copied. */
#ifndef PHP_LEVERET_APCU_FIELDS_H
#define PHP_LEVERET_APCU_FIELDS_H

#include "php.h"

typedef enum apcu_field {
	APCU_ACCESS_TIME,
	APCU_AVAIL_MEM,
	APCU_BLOCK_LISTS,
	APCU_CACHE_LIST,
	APCU_CREATION_TIME,
	APCU_DELETED_LIST,
	APCU_DELETION_TIME,
	APCU_EXPUNGES,
	APCU_HITS,
	APCU_INFO,
	APCU_KEY,
	APCU_MEM_SIZE,
	APCU_MEMORY_TYPE,
	APCU_MTIME,
	APCU_NUM_ENTRIES,
	APCU_NUM_HITS,
	APCU_NUM_INSERTS,
	APCU_NUM_MISSES,
	APCU_NUM_SEG,
	APCU_NUM_SLOTS,
	APCU_OFFSET,
	APCU_REF_COUNT,
	APCU_REFS,
	APCU_SEG_SIZE,
	APCU_SIZE,
	APCU_SLOT_DISTRIBUTION,
	APCU_START_TIME,
	APCU_TTL,
	APCU_TYPE,
	APCU_VALUE,
	/* Texts that are values. */
	APCU_TEXT_MMAP,
	APCU_TEXT_USER,
	APCU_FIELDS
} apcu_field;

/* MINIT. */
void php_leveret_apcu_fields_minit(void);
/* Adds a field that the array does not have. */
void php_leveret_apcu_add(HashTable *array, apcu_field field, zval *value);
void php_leveret_apcu_add_long(HashTable *array, apcu_field field, zend_long value);
void php_leveret_apcu_add_double(HashTable *array, apcu_field field, double value);
void php_leveret_apcu_add_text(HashTable *array, apcu_field field, apcu_field text);

#endif
