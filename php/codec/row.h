/* codec/row.h: an array whose keys are those of the last one that was read at its depth, in their order, as rows of a table have them:
 * its hash table is a copy of that one's, and no key is looked for. From the first other key on it is filled as any array. */
#ifndef PHP_LEVERET_CODEC_ROW_H
#define PHP_LEVERET_CODEC_ROW_H

#include "php.h"

typedef struct php_leveret_row {
	zend_array *array;
	const zend_array *before;         /* NULL: the keys are other ones */
} php_leveret_row;

/* The last array of that depth, or NULL, lives as long as what is read. */
static zend_always_inline php_leveret_row php_leveret_row_begin(const zend_array *before, uint32_t count)
{
	php_leveret_row row = { .array = zend_new_array(count) };
	/* A list has its integers by their place anyway. */
	if (before && before->nNumUsed == count && before->nTableSize == row.array->nTableSize && !(HT_FLAGS(before) & HASH_FLAG_PACKED)) {
		zend_hash_real_init_mixed(row.array);
		memcpy(HT_GET_DATA_ADDR(row.array), HT_GET_DATA_ADDR(before), HT_HASH_SIZE(before->nTableMask));
		HT_FLAGS(row.array) &= ~HASH_FLAG_STATIC_KEYS;
		row.before = before;
	}
	return row;
}

/* The next key, if all before were those of the other row; NULL: it is an integer, or it is not known. */
static zend_always_inline zend_string *php_leveret_row_key(const php_leveret_row *row)
{
	return row->before ? row->before->arData[row->array->nNumUsed].key : NULL;
}

/* The next key is the one that was foretold. Takes a count of it, and the value. */
static zend_always_inline void php_leveret_row_add(php_leveret_row *row, zend_string *key, zval *value)
{
	const Bucket *as = row->before->arData + row->array->nNumUsed;
	Bucket *to = row->array->arData + row->array->nNumUsed;
	to->h = as->h;
	to->key = key;
	ZVAL_COPY_VALUE(&to->val, value);
	Z_NEXT(to->val) = Z_NEXT(as->val);
	row->array->nNumUsed++;
	row->array->nNumOfElements++;
}

/* The next key is another one. */
static zend_always_inline void php_leveret_row_leave(php_leveret_row *row)
{
	if (UNEXPECTED(row->before)) {
		row->before = NULL;
		zend_hash_rehash(row->array);
	}
}

#endif
