/* codec/plain.c: reads PHP's serialization format where nothing but null, bool, int, float, string and array is in it,
 * which is what caches mostly hold. PHP's own reader has to be ready for objects and back references; this one is
 * faster by a quarter, as it is not, and takes less memory: a list becomes a packed array at once, and a key that comes
 * again is the same string.
 *
 * Whatever else it meets, damaged data included, is left to PHP's reader: so this one decides nothing.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "plain.h"
#include "row.h"
#include "ext/standard/basic_functions.h"

/* Keys of up to this length are looked for among those that came lately: the columns of a table of rows. */
#define SHARED_LEN_MAX 64
#define SHARED_PLACES 32

typedef struct reader {
	const char *at;
	const char *end; /* a byte beyond may be read: a NUL */
	php_leveret_rows rows;
	zend_string *keys[SHARED_PLACES];
} reader;

static bool plain_skip(reader *from, char expected)
{
	return *from->at == expected && ++from->at <= from->end;
}

/* Up to 18 digits, which fit into any integer, then `stop`. */
static bool plain_read_number(reader *from, zend_ulong *number, char stop)
{
	const char *start = from->at, *at = start;
	zend_ulong value = 0;
	for (unsigned digit; (digit = (unsigned char) *at - '0') <= 9; at++) {
		value = value * 10 + digit;
	}
	*number = value;
	from->at = at;
	return at != start && at - start <= 18 && plain_skip(from, stop);
}

static bool plain_read_integer(reader *from, zend_long *integer)
{
	bool negative = plain_skip(from, '-');
	zend_ulong value;
	if (!plain_read_number(from, &value, ';')) {
		return false;
	}
	*integer = negative ? -(zend_long) value : (zend_long) value;
	return true;
}

static bool plain_read_double(reader *from, zval *to)
{
	const char *after;
	const char *digits = from->at + (*from->at == '-');
	/* INF and NAN are seldom, and no number begins like them. */
	if (*digits < '0' || *digits > '9') {
		return false;
	}
	ZVAL_DOUBLE(to, zend_strtod(from->at, &after));
	from->at = after;
	return plain_skip(from, ';');
}

/* LENGTH:"bytes" */
static bool read_bytes(reader *from, const char **bytes, size_t *len)
{
	zend_ulong number;
	if (!plain_read_number(from, &number, ':') || !plain_skip(from, '"')
		|| number > (zend_ulong) (from->end - from->at)) {
		return false;
	}
	*bytes = from->at;
	*len = number;
	from->at += number;
	return plain_skip(from, '"') && plain_skip(from, ';');
}

/* False: the string's length exceeds the limit. */
static zend_always_inline bool pay_for_string(reader *from, size_t len)
{
	return php_leveret_rows_pay(&from->rows, php_leveret_string_cost(len));
}

/* A string with a count for the caller, or NULL. */
static zend_string *plain_key_string(reader *from, const char *bytes, size_t len)
{
	if (len <= 1) {
		return len ? ZSTR_CHAR((unsigned char) *bytes) : ZSTR_EMPTY_ALLOC();
	}
	if (len > SHARED_LEN_MAX) {
		return pay_for_string(from, len) ? zend_string_init(bytes, len, 0) : NULL;
	}
	zend_string **place =
		&from->keys[(len * 7 + (unsigned char) bytes[0] * 3 + (unsigned char) bytes[len - 1]) % SHARED_PLACES];
	if (!*place || !zend_string_equals_cstr(*place, bytes, len)) {
		if (!pay_for_string(from, len)) {
			return NULL;
		}
		if (*place) {
			zend_string_release(*place);
		}
		*place = zend_string_init(bytes, len, 0);
	}
	return zend_string_copy(*place);
}

static bool plain_read_value(reader *from, zval *to);

/* A key and its value. A key that is there already is left to PHP's reader. */
static bool plain_read_element(reader *from, php_leveret_row *row)
{
	zend_long index = 0;
	const char *bytes;
	size_t len;
	zend_string *key = NULL;
	zval value;

	if (plain_skip(from, 'i')) {
		if (!plain_skip(from, ':') || !plain_read_integer(from, &index)) {
			return false;
		}
	} else {
		if (!plain_skip(from, 's') || !plain_skip(from, ':') || !read_bytes(from, &bytes, &len)) {
			return false;
		}
		zend_string *foretold = php_leveret_row_key(row);
		if (foretold && zend_string_equals_cstr(foretold, bytes, len)) {
			if (!plain_read_value(from, &value)) {
				return false;
			}
			php_leveret_row_add(row, zend_string_copy(foretold), &value);
			return true;
		}
		zend_ulong number;
		if (ZEND_HANDLE_NUMERIC_STR(bytes, len, number)) {
			index = (zend_long) number;
		} else {
			key = plain_key_string(from, bytes, len);
			if (UNEXPECTED(!key)) {
				return false;
			}
		}
	}

	php_leveret_row_leave(row);
	bool read = php_leveret_row_pay(&from->rows, row, key, (zend_ulong) index) && plain_read_value(from, &value);
	if (read
		&& !(key ? zend_hash_add(row->array, key, &value)
				 : zend_hash_index_add(row->array, (zend_ulong) index, &value))) {
		zval_ptr_dtor(&value);
		read = false;
	}
	if (key) {
		zend_string_release(key);
	}
	return read;
}

/* COUNT:{elements} */
static bool plain_read_array(reader *from, zval *to)
{
	zend_ulong count;
	php_leveret_row row;
	if (!plain_read_number(from, &count, ':') || !plain_skip(from, '{')) {
		return false;
	}
	if (count == 0) {
		ZVAL_EMPTY_ARRAY(to);
		return plain_skip(from, '}');
	}
	/* Even the shortest element, i:0;N;, has six bytes. */
	if (!php_leveret_row_begin(&from->rows, count, (size_t) (from->end - from->at) / 6, &row)) {
		return false;
	}
	bool read = true;
	while (read && count--) {
		from->rows.owed--;
		read = plain_read_element(from, &row);
	}
	return php_leveret_row_end(&from->rows, &row, read && plain_skip(from, '}'), to);
}

/* False: *to is not set. */
static bool plain_read_value(reader *from, zval *to)
{
	const char *bytes;
	size_t len;
	char type = *from->at++;
	if (type == 'N') {
		ZVAL_NULL(to);
		return plain_skip(from, ';');
	}
	if (from->at >= from->end || !plain_skip(from, ':')) {
		return false;
	}
	switch (type) {
		case 'i':
			ZVAL_LONG(to, 0);
			return plain_read_integer(from, &Z_LVAL_P(to));
		case 's':
			if (!read_bytes(from, &bytes, &len) || !pay_for_string(from, len)) {
				return false;
			}
			ZVAL_STRINGL_FAST(to, bytes, len);
			return true;
		case 'a':
			return plain_read_array(from, to);
		case 'b':
			ZVAL_BOOL(to, *from->at == '1');
			return (plain_skip(from, '0') || plain_skip(from, '1')) && plain_skip(from, ';');
		case 'd':
			return plain_read_double(from, to);
		default:
			return false;
	}
}

bool php_leveret_read_plain(const char *data, size_t len, size_t cost_max, zval *return_value, bool *is_short)
{
	/* 0: no limit. */
	zend_long depth_max = BG(unserialize_max_depth) > 0 ? MIN(BG(unserialize_max_depth), PHP_LEVERET_ROW_DEPTH_MAX)
														: PHP_LEVERET_ROW_DEPTH_MAX;
	reader from = { .at = data, .end = data + len, .rows = { .depth_max = (int) depth_max, .left = cost_max } };
	bool read = len > 0 && plain_read_value(&from, return_value);
	if (read && from.at != from.end) {
		zval_ptr_dtor(return_value);
		ZVAL_UNDEF(return_value);
		read = false;
	}
	for (int i = 0; i < SHARED_PLACES; i++) {
		if (from.keys[i]) {
			zend_string_release(from.keys[i]);
		}
	}
	*is_short = from.rows.is_short;
	return read;
}
