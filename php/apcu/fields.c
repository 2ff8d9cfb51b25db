/* apcu/fields.c: arrays with named fields. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "fields.h"

static const char *const texts[APCU_FIELDS] = {
	"access_time",
	"avail_mem",
	"block_lists",
	"cache_list",
	"creation_time",
	"deleted_list",
	"deletion_time",
	"expunges",
	"hits",
	"info",
	"key",
	"mem_size",
	"memory_type",
	"mtime",
	"num_entries",
	"num_hits",
	"num_inserts",
	"num_misses",
	"num_seg",
	"num_slots",
	"offset",
	"ref_count",
	"refs",
	"seg_size",
	"size",
	"slot_distribution",
	"start_time",
	"ttl",
	"type",
	"value",
	"mmap",
	"user",
};

/* Of the process, not of a thread: they are permanent and interned. */
static zend_string *names[APCU_FIELDS];

void php_leveret_apcu_fields_minit(void)
{
	for (int field = 0; field < APCU_FIELDS; field++) {
		names[field] = zend_string_init_interned(texts[field], strlen(texts[field]), 1);
	}
}

void php_leveret_apcu_add(HashTable *array, apcu_field field, zval *value)
{
	zend_hash_add_new(array, names[field], value);
}

void php_leveret_apcu_add_long(HashTable *array, apcu_field field, zend_long value)
{
	zval number;
	ZVAL_LONG(&number, value);
	php_leveret_apcu_add(array, field, &number);
}

void php_leveret_apcu_add_double(HashTable *array, apcu_field field, double value)
{
	zval number;
	ZVAL_DOUBLE(&number, value);
	php_leveret_apcu_add(array, field, &number);
}

void php_leveret_apcu_add_text(HashTable *array, apcu_field field, apcu_field text)
{
	zval string;
	ZVAL_INTERNED_STR(&string, names[text]);
	php_leveret_apcu_add(array, field, &string);
}
