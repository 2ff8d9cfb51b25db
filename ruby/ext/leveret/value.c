/* value.c: which form a value is stored in, and what is made of the bytes that any entrance has stored.
 *
 * Strings are stored as they are, integers as numbers that the engine can count, floats as text. Arrays and hashes that
 * JSON can say are called JSON and lie in the compact form, if that has such keys; PHP reads them as arrays. Everything
 * else is Marshal, which nobody but Ruby reads.
 */
#include "value.h"

static rb_encoding *utf8, *binary, *ascii;
static VALUE mMarshal;
static ID id_load, id_dump;

static bool is_plain(VALUE object, VALUE class)
{
	return RBASIC_CLASS(object) == class && !FL_TEST_RAW(object, FL_EXIVAR);
}

static void encode_marshal(VALUE value, encoded *out)
{
	out->holder = rb_funcall(mMarshal, id_dump, 1, value);
	StringValue(out->holder);
	out->meta.encoding = LEVERET_MARSHAL;
	out->meta.flags = FLAG_MARSHAL;
}

static void encode_string(VALUE value, encoded *out)
{
	rb_encoding *encoding = rb_enc_get(value);
	if (RB_UNLIKELY(!is_plain(value, rb_cString))
		|| RB_UNLIKELY(encoding != utf8 && encoding != binary && encoding != ascii)) {
		encode_marshal(value, out);
		return;
	}
	out->holder = value;
	out->meta.flags = encoding == binary ? FLAG_BINARY : 0;
}

static void encode_integer(int64_t number, encoded *out)
{
	out->integer = number;
	out->bytes = bytes_of(&out->integer, sizeof(out->integer));
	out->meta.encoding = LEVERET_INTEGER;
}

static void encode_text(VALUE text, uint8_t encoding, encoded *out)
{
	out->holder = text;
	out->meta.encoding = encoding;
}

static bool fits_64_bits(VALUE bignum)
{
	return rb_absint_numwords(bignum, 1, NULL) <= 63 || rb_big_cmp(bignum, LL2NUM(INT64_MIN)) == INT2FIX(0);
}

void value_encode(VALUE value, encoded *out)
{
	VALUE text;
	out->holder = Qfalse;
	out->bytes = bytes_of("", 0);
	out->meta = (leveret_meta) { .origin = LEVERET_RUBY, .encoding = LEVERET_RAW };
	switch (rb_type(value)) {
		case T_STRING:
			encode_string(value, out);
			break;
		case T_FIXNUM:
			encode_integer(FIX2LONG(value), out);
			break;
		case T_BIGNUM:
			if (fits_64_bits(value)) {
				encode_integer(NUM2LL(value), out);
			} else {
				encode_marshal(value, out);
			}
			break;
		case T_FLOAT:
			encode_text(rb_obj_as_string(value), LEVERET_DOUBLE, out);
			break;
		case T_TRUE:
			out->bytes = bytes_of("1", 1);
			out->meta.encoding = LEVERET_BOOL;
			break;
		case T_FALSE:
			out->meta.encoding = LEVERET_BOOL;
			break;
		case T_NIL:
			out->meta.encoding = LEVERET_NULL;
			break;
		case T_ARRAY:
		case T_HASH:
			if (compact_write(value, &text) || json_write(value, &text)) {
				encode_text(text, LEVERET_JSON, out);
				break;
			}
			/* fall through */
		default:
			encode_marshal(value, out);
	}
}

/* --- reading --- */

static VALUE load(VALUE bytes)
{
	return rb_funcall(mMarshal, id_load, 1, bytes);
}

/* Looked up by name: a program that never loaded it has no such class. */
static bool is_timeout(VALUE error)
{
	VALUE class = rb_obj_class(error);
	while (!NIL_P(class) && class != rb_eStandardError) {
		if (strcmp(rb_class2name(class), "Timeout::Error") == 0) {
			return true;
		}
		class = rb_class_superclass(class);
	}
	return false;
}

static VALUE message_of(VALUE error)
{
	return rb_obj_as_string(error);
}

static VALUE no_message(VALUE context, VALUE error)
{
	return rb_str_new(NULL, 0);
}

static VALUE failed(VALUE context, VALUE error)
{
	VALUE *said = (VALUE *) context;
	if (is_timeout(error)) {
		rb_exc_raise(error);
	}
	if (said) {
		/* Its to_s is user code too. */
		*said = rb_rescue(message_of, error, no_message, Qnil);
	}
	return Qundef;
}

/* Damaged data may make Marshal, and any class's own marshal_load, raise anything. An error of Timeout is not about the
 * data. */
VALUE value_rescue(VALUE (*body)(VALUE), VALUE value, VALUE *said)
{
	return rb_rescue2(body, value, failed, (VALUE) said, rb_eStandardError, rb_eNoMemError, rb_eNotImpError,
		rb_eSysStackError, (VALUE) 0);
}

static problem read_marshal(VALUE bytes, VALUE allowed, VALUE *value)
{
	problem why;
	VALUE said;
	if (!NIL_P(allowed) && (why = classes_check(bytes, allowed)) != NULL) {
		return why;
	}
	*value = value_rescue(load, bytes, &said);
	if (RB_LIKELY(*value != Qundef)) {
		return NULL;
	}
	bool is_unknown = RSTRING_LEN(said) >= 15 && memcmp(RSTRING_PTR(said), "undefined class", 15) == 0;
	RB_GC_GUARD(said);
	return is_unknown ? "it is Marshal data of a class that is not there" : "its Marshal data is damaged";
}

static problem read_bool(VALUE bytes, VALUE *value)
{
	*value = RSTRING_LEN(bytes) > 0 && RSTRING_PTR(bytes)[0] == '1' ? Qtrue : Qfalse;
	return NULL;
}

/* A String that Ruby stored has its encoding; another one is text if it is valid UTF-8. */
static VALUE as_string(const leveret_meta *meta, VALUE bytes)
{
	if (meta->origin == LEVERET_RUBY && (meta->flags & FLAG_BINARY)) {
		return bytes;
	}
	rb_enc_associate(bytes, utf8);
	if (meta->origin != LEVERET_RUBY && rb_enc_str_coderange(bytes) == ENC_CODERANGE_BROKEN) {
		rb_enc_associate(bytes, binary);
	}
	return bytes;
}

static bool is_marshal(VALUE bytes)
{
	return RSTRING_LEN(bytes) > 2 && memcmp(RSTRING_PTR(bytes), "\x04\x08", 2) == 0;
}

/* NULL: *bytes is the decompressed value. No value is longer than the limit of Dalli's default compressor. */
static problem decompress(uint8_t codec, VALUE *bytes)
{
	size_t len;
	if (leveret_decompressed_len(codec, bytes_of_string(*bytes), 1 << 30, &len) != 0) {
		return "its compressed data is damaged";
	}
	VALUE whole = rb_str_new(NULL, (long) len);
	int damaged = leveret_decompress(codec, bytes_of_string(*bytes), RSTRING_PTR(whole), len);
	RB_GC_GUARD(*bytes);
	*bytes = whole;
	return damaged ? "its compressed data is damaged" : NULL;
}

static problem read_form(uint8_t encoding, const leveret_meta *meta, VALUE bytes, VALUE allowed, VALUE *value)
{
	switch (encoding) {
		case LEVERET_RAW:
			*value = as_string(meta, bytes);
			return NULL;
		case LEVERET_INTEGER:
			*value = rb_cstr2inum(StringValueCStr(bytes), 10);
			return NULL;
		case LEVERET_DOUBLE: {
			const char *text = StringValueCStr(bytes), *name = text + (*text == '-' || *text == '+');
			double number = *name == 'I' || *name == 'i' ? HUGE_VAL
				: *name == 'N' || *name == 'n'           ? nan("")
														 : rb_cstr_to_dbl(name, 0);
			*value = DBL2NUM(*text == '-' ? -number : number);
			return NULL;
		}
		case LEVERET_BOOL:
			return read_bool(bytes, value);
		case LEVERET_NULL:
			*value = Qnil;
			return NULL;
		case LEVERET_JSON:
			return meta->origin == LEVERET_RUBY && compact_is(bytes) ? compact_read(bytes, value)
																	 : json_read(bytes, value);
		case LEVERET_PHP:
			if (compact_is(bytes) && meta->origin != LEVERET_WIRE && meta->origin != LEVERET_REMOTE) {
				return compact_read(bytes, value);
			}
			/* Dalli's bits for compressed Marshal are pecl/memcache's for compressed serialized data. */
			return is_marshal(bytes) ? read_marshal(bytes, allowed, value) : php_read(bytes, value);
		case LEVERET_MARSHAL:
			return read_marshal(bytes, allowed, value);
		case LEVERET_IGBINARY:
			return "it was serialized by PHP's igbinary, which Ruby cannot read";
		case LEVERET_MSGPACK:
			return "it was serialized by PHP's msgpack, which Ruby cannot read";
		default:
			return "a later version has stored it";
	}
}

/* Numbers of others may have a NUL in their text. */
static bool has_nul(uint8_t encoding, VALUE bytes)
{
	return (encoding == LEVERET_INTEGER || encoding == LEVERET_DOUBLE)
		&& memchr(RSTRING_PTR(bytes), 0, RSTRING_LEN(bytes));
}

problem value_decode(const leveret_meta *meta, VALUE bytes, VALUE allowed, VALUE *value)
{
	leveret_form form;
	problem why;
	if (leveret_translate(meta, LEVERET_RUBY, bytes_of_string(bytes), &form) != 0) {
		form = (leveret_form) { .encoding = LEVERET_RAW, .codec = LEVERET_CODEC_NONE };
	}
	if (form.codec != LEVERET_CODEC_NONE && (why = decompress(form.codec, &bytes)) != NULL) {
		return why;
	}
	if (meta->origin == LEVERET_RUBY && form.encoding == LEVERET_RAW && (meta->flags & FLAG_MARSHAL)) {
		return "a serializer of an application has made it";
	}
	return has_nul(form.encoding, bytes) ? "it is damaged" : read_form(form.encoding, meta, bytes, allowed, value);
}

leveret_status value_read_bytes(const leveret_arena *arena, VALUE key, leveret_reading *reading, VALUE *bytes)
{
	leveret_status status;
	do {
		*bytes = rb_str_new(NULL, (long) reading->found.value_len);
		status = leveret_read_copy(arena, bytes_of_string(key), reading, RSTRING_PTR(*bytes));
	} while (RB_UNLIKELY(status == LEVERET_RETRY));
	return status;
}

leveret_status value_read(
	const leveret_arena *arena, VALUE key, leveret_reading *reading, VALUE allowed, VALUE *value, problem *why)
{
	*why = NULL;
	if (reading->found.is_number && reading->found.meta.encoding == LEVERET_INTEGER) {
		*value = LL2NUM(reading->found.number);
		return LEVERET_OK;
	}
	leveret_status status = value_read_bytes(arena, key, reading, value);
	if (RB_UNLIKELY(status != LEVERET_OK)) {
		return status;
	}
	const leveret_meta *meta = &reading->found.meta;
	if (RB_LIKELY(meta->origin == LEVERET_RUBY && meta->encoding == LEVERET_RAW && (meta->flags & ~FLAG_BINARY) == 0
			&& meta->codec == 0)) {
		if (!(meta->flags & FLAG_BINARY)) {
			rb_enc_associate(*value, utf8);
		}
		return LEVERET_OK;
	}
	*why = value_decode(meta, *value, allowed, value);
	return *why ? LEVERET_MISS : LEVERET_OK;
}

void value_warn(VALUE key, problem why)
{
	static const char *told[16];
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		if (told[i] == why) {
			return;
		}
		if (!told[i]) {
			told[i] = why;
			rb_warn("leveret: the stored value of %" PRIsVALUE
					" counts as missing, as others of this process will in silence: %s",
				rb_str_inspect(key), why);
			return;
		}
	}
}

/*
 * Marshal.load that names its problems.
 * @param bytes [String] Marshal data
 * @param allowed [Hash{String => true}, nil] names of the classes that it may name, as Leveret.class_list makes them;
 *   nil: any
 * @return [Object]
 * @raise [UnmarshalError] the data is damaged, or names another class; nothing of that is made
 * @private
 */
static VALUE load_allowed(VALUE self, VALUE bytes, VALUE allowed)
{
	VALUE value;
	/* A copy, so that the checked bytes are the loaded ones, even if the caller's String changes meanwhile. */
	bytes = rb_str_new_frozen(StringValue(bytes));
	problem why = read_marshal(bytes, class_list(allowed), &value);
	if (why) {
		rb_raise(rb_path2class("Leveret::UnmarshalError"), "%s", why);
	}
	return value;
}

void leveret_init_value(void)
{
	rb_define_module_function(rb_mLeveret, "load", load_allowed, 2);
	utf8 = rb_utf8_encoding();
	binary = rb_ascii8bit_encoding();
	ascii = rb_usascii_encoding();
	mMarshal = rb_const_get(rb_cObject, rb_intern("Marshal"));
	rb_gc_register_mark_object(mMarshal);
	id_load = rb_intern("load");
	id_dump = rb_intern("dump");
}
