/* value_classes.c: finds the classes that Marshal data names, without creating objects. Marshal's own filter is called
 * when an object exists already and its marshal_load has run. Every length and count is checked.
 */
#include "value.h"

/* Marshal itself takes some hundred bytes of stack for each level, and ends at the stack's end. */
#define LEVELS_MAX 4000

typedef struct scan {
	const uint8_t *at, *end;
	VALUE allowed, symbols;
	problem why;
} scan;

static const char *const DAMAGED = "its Marshal data is damaged";

static bool fail(scan *scan, problem why)
{
	scan->why = why;
	return false;
}

static bool read_byte(scan *scan, uint8_t *byte)
{
	if (scan->at == scan->end) {
		return fail(scan, DAMAGED);
	}
	*byte = *scan->at++;
	return true;
}

/* Marshal's integers: a byte that is the number, moved by five from zero, or how many bytes follow. */
static bool read_number(scan *scan, long *number)
{
	uint8_t byte, part;
	if (!read_byte(scan, &byte)) {
		return false;
	}
	int first = (int8_t) byte, count = first < 0 ? -first : first;
	if (first == 0 || count > 4) {
		*number = first == 0 ? 0 : first > 0 ? first - 5 : first + 5;
		return true;
	}
	uint64_t value = first < 0 ? UINT64_MAX << (8 * count) : 0;
	for (int i = 0; i < count; i++) {
		if (!read_byte(scan, &part)) {
			return false;
		}
		value |= (uint64_t) part << (8 * i);
	}
	*number = (long) value;
	return true;
}

static bool skip(scan *scan, long len)
{
	if (len < 0 || len > scan->end - scan->at) {
		return fail(scan, DAMAGED);
	}
	scan->at += len;
	return true;
}

static bool read_bytes(scan *scan, const uint8_t **bytes, long *len)
{
	if (!read_number(scan, len)) {
		return false;
	}
	*bytes = scan->at;
	return skip(scan, *len);
}

static bool skip_bytes(scan *scan)
{
	const uint8_t *bytes;
	long len;
	return read_bytes(scan, &bytes, &len);
}

static bool check(scan *scan, VALUE name)
{
	return RTEST(rb_hash_lookup(scan->allowed, name))
		|| fail(scan, "it is Marshal data of a class that is not in the list of those that are allowed");
}

static bool read_object(scan *scan, int level);

static bool read_symbol(scan *scan, int level, VALUE *name);

/* The count, and that many pairs of a symbol and a value. */
static bool read_fields(scan *scan, int level)
{
	long count;
	VALUE name;
	if (!read_number(scan, &count) || count < 0) {
		return fail(scan, DAMAGED);
	}
	while (count-- > 0) {
		if (!read_symbol(scan, level, &name) || !read_object(scan, level)) {
			return false;
		}
	}
	return true;
}

static bool read_new_symbol(scan *scan, VALUE *name)
{
	const uint8_t *bytes;
	long len;
	if (!read_bytes(scan, &bytes, &len)) {
		return false;
	}
	*name = rb_utf8_str_new((const char *) bytes, len);
	rb_ary_push(scan->symbols, *name);
	return true;
}

static bool read_known_symbol(scan *scan, VALUE *name)
{
	long place;
	if (!read_number(scan, &place) || place < 0 || place >= RARRAY_LEN(scan->symbols)) {
		return fail(scan, DAMAGED);
	}
	*name = RARRAY_AREF(scan->symbols, place);
	return true;
}

static bool read_symbol(scan *scan, int level, VALUE *name)
{
	uint8_t type;
	if (!read_byte(scan, &type)) {
		return false;
	}
	switch (type) {
		case ':':
			return read_new_symbol(scan, name);
		case ';':
			return read_known_symbol(scan, name);
		/* With its encoding. */
		case 'I':
			return read_byte(scan, &type) && type == ':' ? read_new_symbol(scan, name) && read_fields(scan, level + 1)
														 : fail(scan, DAMAGED);
		default:
			return fail(scan, DAMAGED);
	}
}

static bool read_class(scan *scan, int level)
{
	VALUE name;
	return read_symbol(scan, level, &name) && check(scan, name);
}

/* The name of a class or module that is the value itself. */
static bool read_path(scan *scan)
{
	const uint8_t *bytes;
	long len;
	return read_bytes(scan, &bytes, &len) && check(scan, rb_utf8_str_new((const char *) bytes, len));
}

static bool read_objects(scan *scan, int level, int each, int more)
{
	long count;
	if (!read_number(scan, &count) || count < 0 || count > scan->end - scan->at) {
		return fail(scan, DAMAGED);
	}
	for (count = count * each + more; count > 0; count--) {
		if (!read_object(scan, level)) {
			return false;
		}
	}
	return true;
}

static bool read_big(scan *scan)
{
	uint8_t sign;
	long len;
	return read_byte(scan, &sign) && read_number(scan, &len) && len >= 0 && len <= scan->end - scan->at
		? skip(scan, len * 2)
		: fail(scan, DAMAGED);
}

static bool read_object(scan *scan, int level)
{
	uint8_t type;
	long number;
	VALUE name;
	/* A Fiber has less stack than a Thread. */
	if (level > LEVELS_MAX || (level % 16 == 0 && ruby_stack_check())) {
		return fail(scan, "its Marshal data is too deep");
	}
	if (!read_byte(scan, &type)) {
		return false;
	}
	switch (type) {
		case '0':
		case 'T':
		case 'F':
			return true;
		case 'i':
		case '@':
			return read_number(scan, &number);
		case 'l':
			return read_big(scan);
		case 'f':
		case '"':
			return skip_bytes(scan);
		case '/':
			return skip_bytes(scan) && skip(scan, 1);
		case ':':
			return read_new_symbol(scan, &name);
		case ';':
			return read_known_symbol(scan, &name);
		case '[':
			return read_objects(scan, level + 1, 1, 0);
		case '{':
			return read_objects(scan, level + 1, 2, 0);
		case '}':
			return read_objects(scan, level + 1, 2, 1);
		case 'I':
			return read_object(scan, level + 1) && read_fields(scan, level + 1);
		case 'o':
		case 'S':
			return read_class(scan, level) && read_fields(scan, level + 1);
		case 'C':
		case 'e':
		case 'U':
		case 'd':
			return read_class(scan, level) && read_object(scan, level + 1);
		case 'u':
			return read_class(scan, level) && skip_bytes(scan);
		case 'c':
		case 'm':
		case 'M':
			return read_path(scan);
		default:
			return fail(scan, DAMAGED);
	}
}

problem classes_check(VALUE bytes, VALUE allowed)
{
	scan scan = {
		.at = (const uint8_t *) RSTRING_PTR(bytes),
		.end = (const uint8_t *) RSTRING_END(bytes),
		.allowed = allowed,
		.symbols = rb_ary_new(),
	};
	bool is_good = scan.end - scan.at > 2 && scan.at[0] == 4 && scan.at[1] <= 8;
	scan.at += is_good ? 2 : 0;
	is_good = is_good && read_object(&scan, 0);
	RB_GC_GUARD(bytes);
	RB_GC_GUARD(scan.symbols);
	return is_good ? NULL : scan.why ? scan.why : DAMAGED;
}
