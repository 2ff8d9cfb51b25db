/* base/text.h: text that grows.
 *
 * What zend_smart_str.h has inline for this calls, in the headers of PHP 8.2.36 and 8.4.27, a function that older
 * releases of 8.2 and 8.4 lack: what is compiled with those headers is not loaded there. smart_str_erealloc() is in all
 * of them. */
#ifndef PHP_LEVERET_BASE_TEXT_H
#define PHP_LEVERET_BASE_TEXT_H

#include "php.h"
#include "zend_smart_str.h"

static zend_always_inline void php_leveret_append(smart_str *text, const char *bytes, size_t len)
{
	size_t before = text->s ? ZSTR_LEN(text->s) : 0;
	if (!text->s || before + len >= text->a) {
		smart_str_erealloc(text, before + len);
	}
	memcpy(ZSTR_VAL(text->s) + before, bytes, len);
	ZSTR_LEN(text->s) = before + len;
}

static zend_always_inline void php_leveret_append_word(smart_str *text, const char *word)
{
	php_leveret_append(text, word, strlen(word));
}

#endif
