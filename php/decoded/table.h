/* decoded/table.h: arrays that this process has decoded, kept while the arena still holds the same version. */
#ifndef PHP_LEVERET_DECODED_H
#define PHP_LEVERET_DECODED_H

#include "base/globals.h"

/* The reader: what the same bytes decode to depends on the entrance, and on the options that its caller passes to
 * php_leveret_decode. */
#define PHP_LEVERET_VIEW(reader, wanted) ((uint32_t) (reader) << 8 | (uint32_t) (wanted))
#define PHP_LEVERET_NATIVE_VIEW PHP_LEVERET_VIEW(LEVERET_NATIVE, 0)

bool php_leveret_decoded_find(leveret_arena *arena, uint32_t view, zend_string *key, uint32_t now, zval *return_value);
/* True: *return_value is the array that the arena holds under `key` right now. */
static zend_always_inline bool php_leveret_decoded_get(
	leveret_arena *arena, uint32_t view, zend_string *key, uint32_t now, zval *return_value)
{
	return UNEXPECTED(LEVERET_G(decoded_entries)) && php_leveret_decoded_find(arena, view, key, now, return_value);
}
/* `array` has just been decoded from that version. It is kept when this is the second time, when nothing but arrays,
 * strings and scalars is in it, and when there is room. The array itself stays the caller's. `arena` is its number:
 * user code that ran while the array was decoded may have closed a client's handle. */
void php_leveret_decoded_offer(
	uint64_t arena, uint32_t view, zend_string *key, const leveret_version *version, zend_array *array);
/* After the executor's end: keeps nothing of a request that a fatal error has ended. Frees nothing. */
void php_leveret_decoded_request_ended(void);
/* At the start of a request, when no value of another one is in use: frees replaced values and makes room. */
void php_leveret_decoded_sweep(void);
/* The arena is lost. Only where php_leveret_decoded_sweep may be called. */
void php_leveret_decoded_forget(leveret_arena *arena);
/* The end of a thread, perhaps of another one than this. */
void php_leveret_decoded_destroy(zend_leveret_globals *globals);

#endif
