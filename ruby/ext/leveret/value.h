/* value.h: Ruby values <-> bytes. */
#ifndef RUBY_LEVERET_VALUE_H
#define RUBY_LEVERET_VALUE_H

#include "base.h"

/* Flags of what Ruby stores. The first two are Dalli's; the third none of the other clients looks at. */
#define FLAG_MARSHAL 0x1u
#define FLAG_COMPRESSED 0x2u
#define FLAG_BINARY 0x01000000u /* a String that was no text: it comes back as ASCII-8BIT */

/* A value in the form in which the engine stores it. It lies on the C stack, where the garbage collector finds
 * `holder`. */
typedef struct encoded {
	VALUE holder; /* the String that has the bytes, or Qfalse */
	leveret_bytes
		bytes; /* where there is no holder: points into this struct, or at a constant; so it is never copied */
	leveret_meta meta;
	int64_t integer;
} encoded;

/* Runs user code (marshal_dump); raises what that raises. */
void value_encode(VALUE value, encoded *out);

/* The bytes, made right before they are used. */
static inline leveret_bytes encoded_bytes(const encoded *encoded)
{
	return encoded->holder ? bytes_of_string(encoded->holder) : encoded->bytes;
}

/* Why bytes make no value here; NULL: they do. */
typedef const char *problem;

/* The value of a found item, or of its newer version. OK; LOST and other failures: as leveret_read_copy; MISS: it is
 * gone, or the bytes make no value, and *why says why. `allowed`: a Hash whose keys are the names of the classes that
 * Marshal data may name, or nil: any. Runs user code (marshal_load) after the copy, when a longjmp can do no harm. */
leveret_status value_read(
	const leveret_arena *arena, VALUE key, leveret_reading *reading, VALUE allowed, VALUE *value, problem *why);

/* The same, but its bytes. */
leveret_status value_read_bytes(const leveret_arena *arena, VALUE key, leveret_reading *reading, VALUE *bytes);

/* The value of bytes that are a String already, which this function takes over. `meta` says whose they are. */
problem value_decode(const leveret_meta *meta, VALUE bytes, VALUE allowed, VALUE *value);

/* The result of `body` for `value`; Qundef if it raised an error about the data: then *said, unless NULL, is the
 * message. Everything else that it raises or throws passes through, a Timeout too. */
VALUE value_rescue(VALUE (*body)(VALUE), VALUE value, VALUE *said);

/* One warning of this process for each kind of problem: a value that cannot be read counts as missing. */
void value_warn(VALUE key, problem why);

/* What Leveret.class_list has made: a Hash, or nil. TypeError for anything else. */
static inline VALUE class_list(VALUE given)
{
	if (!NIL_P(given)) {
		Check_Type(given, T_HASH);
	}
	return given;
}

/* value_classes.c: why Marshal data names a class that is not allowed; nothing is made of it. */
problem classes_check(VALUE bytes, VALUE allowed);

/* value_plain.c: a String, an Array or a Hash of its own class that JSON and the compact form can say as it is. What is in
 * an Array or a Hash is not looked at. */
bool plain_text(VALUE string);
bool plain_array(VALUE array);
bool plain_hash(VALUE hash);

/* value_json.c. False: not all of it has a faithful JSON. */
bool json_write(VALUE value, VALUE *text);
problem json_read(VALUE text, VALUE *value);

/* value_php.c: PHP's serialize(), without objects. */
problem php_read(VALUE text, VALUE *value);

/* value_compact.c: arrays as Leveret's own entrances store them. */
bool compact_is(VALUE bytes);
problem compact_read(VALUE bytes, VALUE *value);
/* value_compact_write.c. False: JSON may say it faithfully, or nothing but Marshal can. */
bool compact_write(VALUE value, VALUE *bytes);

/* Deepest nesting of PHP and JSON here; deeper data is damaged, or is stored by Marshal. */
#define DEPTH_MAX 100

#endif
