/* codec/row.h: arrays while a reader makes them, and how much of them there may be: of memory as much as is foretold to
 * be left, and when that is used up, as much as is left then, since what was foretold is never too little. One whose
 * keys are those of the last one at its depth, in their order, as rows of a table have them, has a copy of that one's
 * hash table, and no key is looked for. From the first other key on it is filled as any array. */
#ifndef PHP_LEVERET_CODEC_ROW_H
#define PHP_LEVERET_CODEC_ROW_H

#include "cost.h"

/* Deeper nesting is left to the reader that has no such limit, or another one. */
#define PHP_LEVERET_ROW_DEPTH_MAX 64

/* State shared by the arrays of one value. */
typedef struct php_leveret_rows {
	int depth, depth_max;
	size_t owed;   /* elements of all open arrays that are to come */
	size_t left;   /* bytes of memory that arrays and strings may take */
	bool is_short; /* there is no more */
	const zend_array *before[PHP_LEVERET_ROW_DEPTH_MAX];
} php_leveret_rows;

typedef struct php_leveret_row {
	zend_array *array;
	const zend_array *before; /* NULL: the keys are other ones */
	bool has_table;           /* not a list any more */
} php_leveret_row;

static zend_never_inline bool php_leveret_rows_pay_of_the_rest(php_leveret_rows *rows, size_t cost)
{
	rows->left = php_leveret_memory_left_now();
	if (cost > rows->left) {
		rows->is_short = true;
		return false;
	}
	rows->left -= cost;
	return true;
}

/* False: not enough is left. */
static zend_always_inline bool php_leveret_rows_pay(php_leveret_rows *rows, size_t cost)
{
	if (UNEXPECTED(cost > rows->left)) {
		return php_leveret_rows_pay_of_the_rest(rows, cost);
	}
	rows->left -= cost;
	return true;
}

/* False: an array of `count` elements, at least one, is too deep, claims more than `room` elements with all that are
 * open, or costs too much. */
static zend_always_inline bool php_leveret_row_begin(
	php_leveret_rows *rows, uint64_t count, size_t room, php_leveret_row *row)
{
	if (rows->owed + count > room || rows->depth == rows->depth_max) {
		return false;
	}
	const zend_array *before = rows->before[rows->depth];
	/* A list has its integers by their place anyway. */
	bool is_alike = before && before->nNumUsed == count && !(HT_FLAGS(before) & HASH_FLAG_PACKED);
	if (!php_leveret_rows_pay(
			rows, php_leveret_table_cost(count, is_alike ? PHP_LEVERET_ELEMENT_COST : sizeof(zval)))) {
		return false;
	}
	rows->depth++;
	rows->owed += count;
	row->array = zend_new_array((uint32_t) count);
	row->before = NULL;
	row->has_table = is_alike;
	if (is_alike && before->nTableSize == row->array->nTableSize) {
		zend_hash_real_init_mixed(row->array);
		memcpy(HT_GET_DATA_ADDR(row->array), HT_GET_DATA_ADDR(before), HT_HASH_SIZE(before->nTableMask));
		HT_FLAGS(row->array) &= ~HASH_FLAG_STATIC_KEYS;
		row->before = before;
	}
	return true;
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

/* Before the element with this key, or with this index where that is NULL, comes in: with it the array may become a
 * hash table, and for a moment there are both. */
static zend_always_inline bool php_leveret_row_pay(
	php_leveret_rows *rows, php_leveret_row *row, const zend_string *key, zend_ulong index)
{
	if (EXPECTED(row->has_table || (!key && index == row->array->nNumUsed))) {
		return true;
	}
	row->has_table = true;
	return php_leveret_rows_pay(rows, php_leveret_table_cost(row->array->nTableSize, PHP_LEVERET_ELEMENT_COST));
}

/* The array becomes *to, or is freed if it was not read whole; then nothing more may be read. */
static zend_always_inline bool php_leveret_row_end(
	php_leveret_rows *rows, php_leveret_row *row, bool is_whole, zval *to)
{
	rows->depth--;
	if (UNEXPECTED(!is_whole)) {
		zend_array_destroy(row->array);
		return false;
	}
	rows->before[rows->depth] = row->array;
	ZVAL_ARR(to, row->array);
	return true;
}

#endif
