/* codec/count.h: integers that lie in the arena as text. */
#ifndef PHP_LEVERET_CODEC_COUNT_H
#define PHP_LEVERET_CODEC_COUNT_H

#include "php.h"
#include "leveret.h"

/* For when the operation without "text" has said that there is no integer: makes one of the text, if it is one, and tries again. */
leveret_status php_leveret_add_integer_text(leveret_arena *arena, leveret_bytes key, int64_t step, uint32_t deadline, uint32_t now, int64_t *result);
leveret_status php_leveret_cas_integer_text(leveret_arena *arena, leveret_bytes key, int64_t old_value, int64_t new_value, uint32_t now);

/* As leveret_add_integer (a missing one is created), whichever entrance has stored the integer. */
static zend_always_inline leveret_status php_leveret_add_integer(leveret_arena *arena, leveret_bytes key, int64_t step, uint32_t deadline, uint32_t now, int64_t *result)
{
	leveret_status status = leveret_add_integer(arena, key, step, true, deadline, now, result);
	return EXPECTED(status != LEVERET_NOT_NUMBER) ? status : php_leveret_add_integer_text(arena, key, step, deadline, now, result);
}

/* As leveret_cas_integer, likewise. */
static zend_always_inline leveret_status php_leveret_cas_integer(leveret_arena *arena, leveret_bytes key, int64_t old_value, int64_t new_value, uint32_t now)
{
	leveret_status status = leveret_cas_integer(arena, key, old_value, new_value, now);
	return EXPECTED(status != LEVERET_EXISTS) ? status : php_leveret_cas_integer_text(arena, key, old_value, new_value, now);
}

#endif
