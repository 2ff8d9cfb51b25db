/* value_php.c: what PHP's serialize() writes, without objects: arrays whose keys are 0, 1, 2 ... become Arrays, others
 * Hashes whose keys are Strings and Integers, as PHP has them. Objects belong to PHP and are refused, and so are
 * references, which only PHP has. No length and no count is trusted.
 */
#include "value.h"

typedef struct reader {
	const char *at, *end;
	problem why;
} reader;

static const char *const DAMAGED = "its serialized data is damaged";

static VALUE fail(reader *reader, problem why)
{
	reader->why = why;
	return Qundef;
}

static bool take(reader *reader, char wanted)
{
	if (reader->at < reader->end && *reader->at == wanted) {
		reader->at++;
		return true;
	}
	return false;
}

/* A number that `until` ends, which is taken too. */
static bool read_long(reader *reader, char until, int64_t *number)
{
	bool negative = take(reader, '-'), any = false;
	uint64_t value = 0;
	while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
		if (value > (UINT64_MAX - 9) / 10) {
			return false;
		}
		value = value * 10 + (uint64_t) (*reader->at++ - '0');
		any = true;
	}
	if (!any || value > (uint64_t) INT64_MAX + negative) {
		return false;
	}
	*number = (int64_t) (negative ? -value : value);
	return take(reader, until);
}

static VALUE read_integer(reader *reader)
{
	int64_t number;
	return read_long(reader, ';', &number) ? LL2NUM(number) : fail(reader, DAMAGED);
}

static VALUE read_float(reader *reader)
{
	char text[64];
	const char *end = memchr(reader->at, ';', (size_t) (reader->end - reader->at));
	if (!end || (size_t) (end - reader->at) >= sizeof(text)) {
		return fail(reader, DAMAGED);
	}
	size_t len = (size_t) (end - reader->at);
	memcpy(text, reader->at, len);
	text[len] = '\0';
	reader->at = end + 1;
	if (strcmp(text, "NAN") == 0) {
		return DBL2NUM(nan(""));
	}
	if (strcmp(text, "INF") == 0 || strcmp(text, "-INF") == 0) {
		return DBL2NUM(*text == '-' ? -HUGE_VAL : HUGE_VAL);
	}
	return DBL2NUM(rb_cstr_to_dbl(text, 0));
}

/* LEN:"BYTES" and `until`. */
static VALUE read_string(reader *reader, char until)
{
	int64_t len;
	if (!read_long(reader, ':', &len) || !take(reader, '"') || len < 0 || len > reader->end - reader->at - 2) {
		return fail(reader, DAMAGED);
	}
	VALUE string = rb_utf8_str_new(reader->at, (long) len);
	reader->at += len;
	if (rb_enc_str_coderange(string) == ENC_CODERANGE_BROKEN) {
		rb_enc_associate(string, rb_ascii8bit_encoding());
	}
	return take(reader, '"') && take(reader, until) ? string : fail(reader, DAMAGED);
}

static VALUE read_value(reader *reader, int depth);

static VALUE hash_of(VALUE array)
{
	VALUE hash = rb_hash_new();
	for (long i = 0; i < RARRAY_LEN(array); i++) {
		rb_hash_aset(hash, LONG2FIX(i), RARRAY_AREF(array, i));
	}
	return hash;
}

/* An Array until a key is not the next number. */
static VALUE read_array(reader *reader, int depth)
{
	int64_t count;
	if (!read_long(reader, ':', &count) || !take(reader, '{')) {
		return fail(reader, DAMAGED);
	}
	VALUE into = rb_ary_new();
	for (int64_t i = 0; i < count; i++) {
		VALUE key = read_value(reader, DEPTH_MAX - 1), value;
		if (key == Qundef || (value = read_value(reader, depth + 1)) == Qundef) {
			return Qundef;
		}
		if (!RB_TYPE_P(key, T_STRING) && !RB_INTEGER_TYPE_P(key)) {
			return fail(reader, DAMAGED);
		}
		if (RB_TYPE_P(into, T_ARRAY) && key == LL2NUM(i)) {
			rb_ary_push(into, value);
			continue;
		}
		if (RB_TYPE_P(into, T_ARRAY)) {
			into = hash_of(into);
		}
		rb_hash_aset(into, key, value);
	}
	return take(reader, '}') ? into : fail(reader, DAMAGED);
}

static VALUE read_bool(reader *reader)
{
	int64_t is;
	return read_long(reader, ';', &is) && (is == 0 || is == 1) ? is ? Qtrue : Qfalse : fail(reader, DAMAGED);
}

static VALUE read_value(reader *reader, int depth)
{
	if (reader->end - reader->at < 2) {
		return fail(reader, DAMAGED);
	}
	char type = *reader->at++;
	if (type == 'N') {
		return take(reader, ';') ? Qnil : fail(reader, DAMAGED);
	}
	if (!take(reader, ':')) {
		return fail(reader, DAMAGED);
	}
	switch (type) {
		case 'i':
			return read_integer(reader);
		case 'd':
			return read_float(reader);
		case 'b':
			return read_bool(reader);
		case 's':
			return read_string(reader, ';');
		case 'a':
			return depth < DEPTH_MAX - 1 ? read_array(reader, depth) : fail(reader, "its serialized data is too deep");
		case 'O':
		case 'C':
		case 'E':
			return fail(reader, "it holds an object of PHP");
		case 'r':
		case 'R':
			return fail(reader, "it holds references of PHP");
		default:
			return fail(reader, DAMAGED);
	}
}

problem php_read(VALUE text, VALUE *value)
{
	reader reader = { .at = RSTRING_PTR(text), .end = RSTRING_END(text) };
	*value = read_value(&reader, 0);
	bool is_whole = *value != Qundef && reader.at == reader.end;
	RB_GC_GUARD(text);
	return is_whole ? NULL : reader.why ? reader.why : DAMAGED;
}
