/* codec/igbinary_plain.c: reads igbinary's format where nothing but null, bool, int, float, string and array is in it,
 * as plain.c reads PHP's. What is made is checked as it is made, so the walk of igbinary_check.c is spared, and keys
 * that come again are not hashed again.
 *
 * Whatever else it meets (objects, references, an array that comes again, damaged data) is left to that walk and
 * igbinary: so this one decides nothing.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "igbinary_plain.h"
#include "igbinary_format.h"
#include "row.h"

/* Strings that are numbered before the heap is asked for room. */
#define STRINGS_FIRST 128

typedef struct reader {
	const uint8_t *at, *end;
	php_leveret_rows rows;
	zend_string **strings; /* by their number; the value that is being made holds each of them */
	uint32_t strings_len, strings_max;
	zend_string *first[STRINGS_FIRST];
} reader;

static zend_always_inline bool igbinary_plain_read_number(reader *from, int power, uint64_t *number)
{
	return php_leveret_igbinary_number(&from->at, from->end, power, number);
}

static zend_always_inline bool igbinary_plain_read_integer(reader *from, uint8_t type, zend_long *integer)
{
	uint64_t number;
	if (!igbinary_plain_read_number(from, php_leveret_igbinary_power(type), &number)
		|| UNEXPECTED(number > ZEND_LONG_MAX)) {
		return false;
	}
	*integer = type % 2 ? -(zend_long) number : (zend_long) number;
	return true;
}

static zend_never_inline void grow(reader *from)
{
	uint32_t max = from->strings_max * 4;
	if (from->strings == from->first) {
		from->strings = safe_emalloc(max, sizeof(*from->strings), 0);
		memcpy(from->strings, from->first, sizeof(from->first));
	} else {
		from->strings = safe_erealloc(from->strings, max, sizeof(*from->strings), 0);
	}
	from->strings_max = max;
}

/* A string with a count for the caller, or NULL. */
static zend_always_inline zend_string *igbinary_plain_read_string(reader *from, uint8_t type)
{
	uint64_t number;
	/* With its place among the strings by number, of which there are two tables while that grows. */
	const size_t place = 5 * sizeof(*from->strings);
	if (type <= STRING_ID32) {
		bool known = igbinary_plain_read_number(from, type - STRING_ID8, &number) && number < from->strings_len;
		return EXPECTED(known) ? zend_string_copy(from->strings[number]) : NULL;
	}
	if (!igbinary_plain_read_number(from, type - STRING8, &number) || number == 0
		|| number > (uint64_t) (from->end - from->at)
		|| !php_leveret_rows_pay(&from->rows, php_leveret_string_cost(number) + place)) {
		return NULL;
	}
	if (UNEXPECTED(from->strings_len == from->strings_max)) {
		grow(from);
	}
	zend_string *string = zend_string_init_fast((const char *) from->at, number);
	from->strings[from->strings_len++] = string;
	from->at += number;
	return string;
}

static zend_never_inline bool igbinary_plain_read_array(reader *from, uint8_t type, zval *to);

static zend_always_inline bool igbinary_plain_read_double(reader *from, zval *to)
{
	uint64_t bits;
	double value;
	if (!igbinary_plain_read_number(from, 3, &bits)) {
		return false;
	}
	memcpy(&value, &bits, sizeof(value));
	ZVAL_DOUBLE(to, value);
	return true;
}

/* False: *to is not set. */
static zend_always_inline bool igbinary_plain_read_value(reader *from, zval *to)
{
	zend_long integer;
	zend_string *string;
	if (UNEXPECTED(from->at == from->end)) {
		return false;
	}
	uint8_t type = *from->at++;
	switch (type) {
		case NOTHING:
			ZVAL_NULL(to);
			return true;
		case NO:
		case YES:
			ZVAL_BOOL(to, type == YES);
			return true;
		case LONG8P:
		case LONG8P + 1:
		case LONG8P + 2:
		case LONG8P + 3:
		case LONG8P + 4:
		case LONG32N:
		case LONG64P:
		case LONG64N:
			if (!igbinary_plain_read_integer(from, type, &integer)) {
				return false;
			}
			ZVAL_LONG(to, integer);
			return true;
		case DOUBLE:
			return igbinary_plain_read_double(from, to);
		case EMPTY_STRING:
			ZVAL_EMPTY_STRING(to);
			return true;
		case STRING_ID8:
		case STRING_ID8 + 1:
		case STRING_ID32:
		case STRING8:
		case STRING8 + 1:
		case STRING32:
			string = igbinary_plain_read_string(from, type);
			if (UNEXPECTED(!string)) {
				return false;
			}
			ZVAL_STR(to, string);
			return true;
		case ARRAY8:
		case ARRAY8 + 1:
		case ARRAY32:
			return igbinary_plain_read_array(from, type, to);
		default:
			return false;
	}
}

/* A key that is there already, or that PHP would not have as a string, is left to igbinary. */
static zend_always_inline bool read_named(reader *from, uint8_t type, php_leveret_row *row)
{
	zval value;
	zend_ulong index;
	zend_string *key = igbinary_plain_read_string(from, type);
	if (UNEXPECTED(!key)) {
		return false;
	}
	if (key == php_leveret_row_key(row)) {
		if (EXPECTED(igbinary_plain_read_value(from, &value))) {
			php_leveret_row_add(row, key, &value);
			return true;
		}
		zend_string_release(key);
		return false;
	}
	php_leveret_row_leave(row);
	bool read = !ZEND_HANDLE_NUMERIC_STR(ZSTR_VAL(key), ZSTR_LEN(key), index)
		&& php_leveret_row_pay(&from->rows, row, key, 0) && igbinary_plain_read_value(from, &value);
	if (read && UNEXPECTED(!zend_hash_add(row->array, key, &value))) {
		zval_ptr_dtor(&value);
		read = false;
	}
	zend_string_release(key);
	return read;
}

static zend_always_inline bool read_numbered(reader *from, uint8_t type, php_leveret_row *row)
{
	zval value;
	zend_long index;
	php_leveret_row_leave(row);
	if (!igbinary_plain_read_integer(from, type, &index)
		|| !php_leveret_row_pay(&from->rows, row, NULL, (zend_ulong) index)
		|| !igbinary_plain_read_value(from, &value)) {
		return false;
	}
	if (UNEXPECTED(!zend_hash_index_add(row->array, (zend_ulong) index, &value))) {
		zval_ptr_dtor(&value);
		return false;
	}
	return true;
}

/* A key and its value. */
static zend_always_inline bool igbinary_plain_read_element(reader *from, php_leveret_row *row)
{
	if (UNEXPECTED(from->at == from->end)) {
		return false;
	}
	uint8_t type = *from->at++;
	if (type >= STRING_ID8 && type <= STRING32) {
		return read_named(from, type, row);
	}
	return php_leveret_igbinary_is_integer(type) && read_numbered(from, type, row);
}

static zend_never_inline bool igbinary_plain_read_array(reader *from, uint8_t type, zval *to)
{
	uint64_t count;
	php_leveret_row row;
	if (!igbinary_plain_read_number(from, type - ARRAY8, &count)) {
		return false;
	}
	if (count == 0) {
		ZVAL_EMPTY_ARRAY(to);
		return true;
	}
	/* An element has two bytes at least. */
	if (!php_leveret_row_begin(&from->rows, count, (size_t) (from->end - from->at) / 2, &row)) {
		return false;
	}
	bool read = true;
	while (read && count--) {
		from->rows.owed--;
		read = igbinary_plain_read_element(from, &row);
	}
	return php_leveret_row_end(&from->rows, &row, read, to);
}

bool php_leveret_read_igbinary_plain(const char *data, size_t len, size_t cost_max, zval *return_value, bool *is_short)
{
	*is_short = false;
	/* Version 1 has not been written for ten years. */
	static const char head[] = { 0, 0, 0, 2 };
	if (len < sizeof(head) || memcmp(data, head, sizeof(head)) != 0) {
		return false;
	}
	reader from;
	from.at = (const uint8_t *) data + sizeof(head);
	from.end = (const uint8_t *) data + len;
	from.rows = (php_leveret_rows) { .depth_max = PHP_LEVERET_ROW_DEPTH_MAX, .left = cost_max };
	from.strings = from.first;
	from.strings_len = 0;
	from.strings_max = STRINGS_FIRST;
	bool read = igbinary_plain_read_value(&from, return_value);
	if (read && from.at != from.end) {
		zval_ptr_dtor(return_value);
		ZVAL_UNDEF(return_value);
		read = false;
	}
	if (from.strings != from.first) {
		efree(from.strings);
	}
	*is_short = from.rows.is_short;
	return read;
}
