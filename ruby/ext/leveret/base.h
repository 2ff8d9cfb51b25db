/* base.h: bytes, strings and errors between Ruby and the C ABI.
 *
 * Strings may move when the garbage collector compacts, so a leveret_bytes of one is made right before the call that
 * uses it, after everything that may allocate.
 */
#ifndef RUBY_LEVERET_BASE_H
#define RUBY_LEVERET_BASE_H

#include <ruby.h>
#include <ruby/encoding.h>
#include <stdbool.h>

#include "leveret.h"

static inline leveret_bytes bytes_of(const void *data, size_t len)
{
	return (leveret_bytes) { .data = data, .len = len };
}

static inline leveret_bytes bytes_of_string(VALUE string)
{
	return bytes_of(RSTRING_PTR(string), (size_t) RSTRING_LEN(string));
}

/* A key as a String. TypeError for anything but String and Symbol. */
static inline VALUE key_string(VALUE key)
{
	if (RB_LIKELY(RB_TYPE_P(key, T_STRING))) {
		return key;
	}
	return SYMBOL_P(key) ? rb_sym2str(key) : rb_str_to_str(key);
}

/* The module and the base classes of errors (init.c). */
extern VALUE rb_mLeveret, rb_eLeveretError, rb_eLeveretArenaError;

/* Raises the error of a status. `len`: bytes of the value, if there was one. */
NORETURN(void leveret_raise(leveret_status status, const leveret_arena *arena, VALUE key, size_t len));

void leveret_init_errors(void);
void leveret_init_value(void);
/* The classes, without the methods of cache_*.c and pool_*.c. */
void leveret_init_cache(void);
void leveret_init_pool(void);

#endif
