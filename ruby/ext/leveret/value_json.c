/* value_json.c: what JSON can say faithfully, and only that, is written as JSON: hashes with String keys and without a
 * default, arrays, valid UTF-8, 64-bit integers, finite floats, true, false, nil. So both languages read what the other
 * means, and Ruby gets back what it has stored.
 */
#include "value.h"

/* --- writing --- */

/* A buffer on the C stack, and a String once that is full: most values need no second one. */
typedef struct writer {
	VALUE out;
	char *at, *end;
	char buffer[2048];
} writer;

static void flush(writer *writer)
{
	rb_str_cat(writer->out, writer->buffer, writer->at - writer->buffer);
	writer->at = writer->buffer;
}

static void put(writer *writer, const char *bytes, size_t len)
{
	if (RB_UNLIKELY(len > (size_t) (writer->end - writer->at))) {
		flush(writer);
		if (len > sizeof(writer->buffer)) {
			rb_str_cat(writer->out, bytes, (long) len);
			return;
		}
	}
	memcpy(writer->at, bytes, len);
	writer->at += len;
}

static bool write_value(writer *writer, VALUE value, int depth);

/* 0: as it is; else the letter behind the backslash, 'u' for those that have none. */
static const char escapes[256] = {
	['"'] = '"',
	['\\'] = '\\',
	['\b'] = 'b',
	['\f'] = 'f',
	['\n'] = 'n',
	['\r'] = 'r',
	['\t'] = 't',
	[0] = 'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	[11] = 'u',
	[14] = 'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
	'u',
};

static void write_escape(writer *writer, unsigned char byte)
{
	char text[7] = { '\\', escapes[byte] };
	size_t len = 2;
	if (escapes[byte] == 'u') {
		len = (size_t) snprintf(text, sizeof(text), "\\u%04x", byte);
	}
	put(writer, text, len);
}

static bool write_string(writer *writer, VALUE string)
{
	if (!plain_text(string)) {
		return false;
	}
	const char *bytes = RSTRING_PTR(string);
	long len = RSTRING_LEN(string), from = 0;
	put(writer, "\"", 1);
	for (long i = 0; i < len; i++) {
		unsigned char byte = (unsigned char) bytes[i];
		if (RB_UNLIKELY(escapes[byte])) {
			put(writer, bytes + from, (size_t) (i - from));
			write_escape(writer, byte);
			from = i + 1;
		}
	}
	put(writer, bytes + from, (size_t) (len - from));
	put(writer, "\"", 1);
	RB_GC_GUARD(string);
	return true;
}

static bool write_integer(writer *writer, long number)
{
	char text[24];
	put(writer, text, (size_t) snprintf(text, sizeof(text), "%ld", number));
	return true;
}

static bool write_float(writer *writer, VALUE number)
{
	if (!isfinite(RFLOAT_VALUE(number))) {
		return false;
	}
	VALUE text = rb_obj_as_string(number);
	put(writer, RSTRING_PTR(text), (size_t) RSTRING_LEN(text));
	RB_GC_GUARD(text);
	return true;
}

static bool write_array(writer *writer, VALUE array, int depth)
{
	if (!plain_array(array)) {
		return false;
	}
	put(writer, "[", 1);
	for (long i = 0; i < RARRAY_LEN(array); i++) {
		if (i) {
			put(writer, ",", 1);
		}
		if (!write_value(writer, RARRAY_AREF(array, i), depth + 1)) {
			return false;
		}
	}
	put(writer, "]", 1);
	return true;
}

typedef struct pairs {
	writer *writer;
	int depth;
	bool any, good;
} pairs;

static int write_pair(VALUE key, VALUE value, VALUE context)
{
	pairs *pairs = (void *) context;
	if (pairs->any) {
		put(pairs->writer, ",", 1);
	}
	pairs->any = true;
	pairs->good = RB_TYPE_P(key, T_STRING) && write_string(pairs->writer, key);
	if (pairs->good) {
		put(pairs->writer, ":", 1);
		pairs->good = write_value(pairs->writer, value, pairs->depth + 1);
	}
	return pairs->good ? ST_CONTINUE : ST_STOP;
}

static bool write_hash(writer *writer, VALUE hash, int depth)
{
	if (!plain_hash(hash)) {
		return false;
	}
	pairs pairs = { .writer = writer, .depth = depth, .good = true };
	put(writer, "{", 1);
	rb_hash_foreach(hash, write_pair, (VALUE) &pairs);
	put(writer, "}", 1);
	return pairs.good;
}

/* What contains itself is too deep at some point. */
static bool write_value(writer *writer, VALUE value, int depth)
{
	if (depth >= DEPTH_MAX) {
		return false;
	}
	switch (rb_type(value)) {
		case T_STRING:
			return write_string(writer, value);
		case T_FIXNUM:
			return write_integer(writer, FIX2LONG(value));
		case T_FLOAT:
			return write_float(writer, value);
		case T_ARRAY:
			return write_array(writer, value, depth);
		case T_HASH:
			return write_hash(writer, value, depth);
		case T_NIL:
			put(writer, "null", 4);
			return true;
		case T_TRUE:
			put(writer, "true", 4);
			return true;
		case T_FALSE:
			put(writer, "false", 5);
			return true;
		default:
			return false;
	}
}

bool json_write(VALUE value, VALUE *text)
{
	writer writer;
	writer.out = rb_str_buf_new(0);
	writer.at = writer.buffer;
	writer.end = writer.buffer + sizeof(writer.buffer);
	if (!write_value(&writer, value, 0)) {
		return false;
	}
	flush(&writer);
	*text = writer.out;
	return true;
}

/* --- reading: untrusted bytes, in a private String --- */

typedef struct reader {
	const char *at, *end;
	problem why;
} reader;

static const char *const NO_JSON = "it is no JSON";

static VALUE read_value(reader *reader, int depth);

static VALUE fail(reader *reader, problem why)
{
	reader->why = why;
	return Qundef;
}

static void skip_space(reader *reader)
{
	while (reader->at < reader->end
		&& (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r')) {
		reader->at++;
	}
}

static bool take(reader *reader, char wanted)
{
	skip_space(reader);
	if (reader->at < reader->end && *reader->at == wanted) {
		reader->at++;
		return true;
	}
	return false;
}

/* -1: no four digits. */
static int read_hex(const char *at, const char *end)
{
	int code = 0;
	if (end - at < 4) {
		return -1;
	}
	for (int i = 0; i < 4; i++) {
		char digit = at[i];
		int value = digit >= '0' && digit <= '9'         ? digit - '0'
			: (digit | 32) >= 'a' && (digit | 32) <= 'f' ? (digit | 32) - 'a' + 10
														 : -1;
		if (value < 0) {
			return -1;
		}
		code = code << 4 | value;
	}
	return code;
}

static int put_utf8(char *out, int code)
{
	if (code < 0x80) {
		out[0] = (char) code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char) (0xc0 | code >> 6), out[1] = (char) (0x80 | (code & 63));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char) (0xe0 | code >> 12), out[1] = (char) (0x80 | (code >> 6 & 63)),
		out[2] = (char) (0x80 | (code & 63));
		return 3;
	}
	out[0] = (char) (0xf0 | code >> 18), out[1] = (char) (0x80 | (code >> 12 & 63)),
	out[2] = (char) (0x80 | (code >> 6 & 63)), out[3] = (char) (0x80 | (code & 63));
	return 4;
}

/* A code point behind "\u", or -1. Moves *at behind it, and behind a second half. */
static int read_unicode(const char **at, const char *end)
{
	int code = read_hex(*at, end);
	*at += 4;
	if (code >= 0xdc00 && code < 0xe000) {
		return -1;
	}
	if (code < 0xd800 || code >= 0xdc00) {
		return code;
	}
	int second = end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' ? read_hex(*at + 2, end) : -1;
	*at += 6;
	return second >= 0xdc00 && second < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00) : -1;
}

/* From after the opening quote to the closing one at `end`. The result is never longer. */
static VALUE unescape(reader *reader, const char *at, const char *end)
{
	VALUE string = rb_str_new(NULL, end - at);
	char *start = RSTRING_PTR(string), *out = start;
	while (at < end) {
		if (*at != '\\') {
			*out++ = *at++;
			continue;
		}
		static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
		const char *letter = memchr(letters, at[1], sizeof(letters) - 1);
		at += 2;
		if (letter) {
			*out++ = meant[letter - letters];
			continue;
		}
		int code = at[-1] == 'u' ? read_unicode(&at, end) : -1;
		if (code < 0) {
			return fail(reader, NO_JSON);
		}
		out += put_utf8(out, code);
	}
	rb_str_set_len(string, out - start);
	rb_enc_associate(string, rb_utf8_encoding());
	return string;
}

static VALUE read_string(reader *reader, bool is_key)
{
	const char *from = reader->at, *at = from;
	bool escaped = false;
	while (at < reader->end && *at != '"' && (unsigned char) *at >= 0x20) {
		if (*at == '\\') {
			escaped = true;
			at++;
		}
		at++;
	}
	if (at >= reader->end || *at != '"') {
		return fail(reader, NO_JSON);
	}
	reader->at = at + 1;
	if (RB_UNLIKELY(escaped)) {
		return unescape(reader, from, at);
	}
	return is_key ? rb_enc_interned_str(from, at - from, rb_utf8_encoding()) : rb_utf8_str_new(from, at - from);
}

static size_t skip_digits(reader *reader)
{
	const char *from = reader->at;
	while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
		reader->at++;
	}
	return (size_t) (reader->at - from);
}

static bool skip_one_of(reader *reader, char one, char other)
{
	bool is = reader->at < reader->end && (*reader->at == one || *reader->at == other);
	reader->at += is;
	return is;
}

static VALUE read_number(reader *reader)
{
	const char *from = reader->at;
	bool negative = skip_one_of(reader, '-', '-');
	size_t digits = skip_digits(reader);
	bool good = digits > 0, has_point = skip_one_of(reader, '.', '.');
	good = good && (!has_point || skip_digits(reader) > 0);
	bool has_exponent = good && skip_one_of(reader, 'e', 'E');
	if (has_exponent) {
		skip_one_of(reader, '+', '-');
		good = skip_digits(reader) > 0;
	}
	if (!good) {
		return fail(reader, NO_JSON);
	}
	if (has_point || has_exponent) {
		return DBL2NUM(rb_str_to_dbl(rb_str_new(from, reader->at - from), 0));
	}
	if (digits > 18) {
		return rb_str2inum(rb_str_new(from, reader->at - from), 10);
	}
	long number = 0;
	for (const char *digit = from + negative; digit < reader->at; digit++) {
		number = number * 10 + (*digit - '0');
	}
	return LONG2NUM(negative ? -number : number);
}

static VALUE read_array(reader *reader, int depth)
{
	VALUE array = rb_ary_new();
	if (take(reader, ']')) {
		return array;
	}
	do {
		VALUE element = read_value(reader, depth + 1);
		if (element == Qundef) {
			return Qundef;
		}
		rb_ary_push(array, element);
	} while (take(reader, ','));
	return take(reader, ']') ? array : fail(reader, NO_JSON);
}

static VALUE read_hash(reader *reader, int depth)
{
	VALUE hash = rb_hash_new();
	if (take(reader, '}')) {
		return hash;
	}
	do {
		VALUE key, value;
		if (!take(reader, '"') || (key = read_string(reader, true)) == Qundef) {
			return fail(reader, NO_JSON);
		}
		if (!take(reader, ':')) {
			return fail(reader, NO_JSON);
		}
		if ((value = read_value(reader, depth + 1)) == Qundef) {
			return Qundef;
		}
		rb_hash_aset(hash, key, value);
	} while (take(reader, ','));
	return take(reader, '}') ? hash : fail(reader, NO_JSON);
}

static VALUE read_word(reader *reader, const char *word, VALUE value)
{
	size_t len = strlen(word);
	if ((size_t) (reader->end - reader->at) < len || memcmp(reader->at, word, len) != 0) {
		return fail(reader, NO_JSON);
	}
	reader->at += len;
	return value;
}

static VALUE read_value(reader *reader, int depth)
{
	if (depth >= DEPTH_MAX) {
		return fail(reader, "its JSON is too deep");
	}
	skip_space(reader);
	if (reader->at >= reader->end) {
		return fail(reader, NO_JSON);
	}
	switch (*reader->at) {
		case '"':
			reader->at++;
			return read_string(reader, false);
		case '[':
			reader->at++;
			return read_array(reader, depth);
		case '{':
			reader->at++;
			return read_hash(reader, depth);
		case 't':
			return read_word(reader, "true", Qtrue);
		case 'f':
			return read_word(reader, "false", Qfalse);
		case 'n':
			return read_word(reader, "null", Qnil);
		default:
			return read_number(reader);
	}
}

problem json_read(VALUE text, VALUE *value)
{
	reader reader = { .at = RSTRING_PTR(text), .end = RSTRING_END(text) };
	*value = read_value(&reader, 0);
	skip_space(&reader);
	bool is_whole = *value != Qundef && reader.at == reader.end;
	RB_GC_GUARD(text);
	return is_whole ? NULL : reader.why ? reader.why : NO_JSON;
}
