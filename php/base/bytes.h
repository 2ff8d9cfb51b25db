/* base/bytes.h: bytes and strings between PHP and the C ABI. */
#ifndef PHP_LEVERET_BASE_BYTES_H
#define PHP_LEVERET_BASE_BYTES_H

#include "php.h"
#include "leveret.h"

static zend_always_inline leveret_bytes php_leveret_bytes(const void *data, size_t len)
{
	return (leveret_bytes) { .data = data, .len = len };
}

/* Whether a text is that word, in any case and in any locale. */
static zend_always_inline bool php_leveret_is_word(const char *text, size_t len, const char *word)
{
	return zend_binary_strcasecmp(text, len, word, strlen(word)) == 0;
}

static zend_always_inline leveret_bytes php_leveret_string(const zend_string *string)
{
	return php_leveret_bytes(ZSTR_VAL(string), ZSTR_LEN(string));
}

/* leveret_read_copy into a new string. Not OK: *string is untouched. */
static zend_always_inline leveret_status php_leveret_read_string(
	const leveret_arena *arena, leveret_bytes key, leveret_reading *reading, zend_string **string)
{
	zend_string *copy = zend_string_alloc(reading->found.value_len, 0);
	leveret_status status = leveret_read_copy(arena, key, reading, ZSTR_VAL(copy));
	if (UNEXPECTED(status != LEVERET_OK)) {
		zend_string_efree(copy);
		return status;
	}
	ZSTR_VAL(copy)[ZSTR_LEN(copy)] = '\0';
	*string = copy;
	return LEVERET_OK;
}

#endif
