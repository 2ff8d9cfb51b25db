/* base/bytes.h: bytes and strings between PHP and the C ABI. */
#ifndef PHP_LEVERET_BASE_BYTES_H
#define PHP_LEVERET_BASE_BYTES_H

#include "php.h"
#include "leveret.h"

static zend_always_inline leveret_bytes php_leveret_bytes(const void *data, size_t len)
{
	return (leveret_bytes) { .data = data, .len = len };
}

/* Whether a text is that word, in any case and whatever the script's locale. */
static zend_always_inline bool php_leveret_is_word(const char *text, size_t len, const char *word)
{
	return zend_binary_strcasecmp(text, len, word, strlen(word)) == 0;
}

static zend_always_inline leveret_bytes php_leveret_string(const zend_string *string)
{
	return php_leveret_bytes(ZSTR_VAL(string), ZSTR_LEN(string));
}

/* A failed copy means that a writer recycled the segment between two steps of this reader. Nothing but a hostile arena does that so
 * often in a row; a miss is then the right answer. */
#define PHP_LEVERET_TRIES_MAX 64

/* The value of a found item as a new string. Not OK: *string is untouched. */
static zend_always_inline leveret_status php_leveret_copy_string(const leveret_arena *arena, const leveret_found *found, zend_string **string)
{
	zend_string *copy = zend_string_alloc(found->value_len, 0);
	leveret_status status = leveret_copy(arena, found, ZSTR_VAL(copy));
	if (UNEXPECTED(status != LEVERET_OK)) {
		zend_string_efree(copy);
		return status;
	}
	ZSTR_VAL(copy)[found->value_len] = '\0';
	*string = copy;
	return LEVERET_OK;
}

#endif
