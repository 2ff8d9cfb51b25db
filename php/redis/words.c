/* redis/words.c: the words of a command. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

static void add(redis_words *words, leveret_bytes word, zend_string *owner)
{
	if (words->count == words->room) {
		uint32_t room = words->room * 2;
		leveret_bytes *list = safe_emalloc(room, sizeof(*list), 0);
		zend_string **owners = safe_emalloc(room, sizeof(*owners), 0);
		memcpy(list, words->list, words->count * sizeof(*list));
		memcpy(owners, words->owners, words->count * sizeof(*owners));
		if (words->list != words->first_list) {
			efree(words->list);
			efree(words->owners);
		}
		words->list = list;
		words->owners = owners;
		words->room = room;
	}
	words->list[words->count] = word;
	words->owners[words->count++] = owner;
}

void php_leveret_redis_words_begin(redis_words *words, redis_object *self, const char *name)
{
	words->self = self;
	words->list = words->first_list;
	words->owners = words->first_owners;
	words->count = 0;
	words->room = REDIS_WORDS_INLINE;
	php_leveret_redis_add_literal(words, name);
}

void php_leveret_redis_words_free(redis_words *words)
{
	for (uint32_t i = 0; i < words->count; i++) {
		if (words->owners[i]) {
			zend_string_release(words->owners[i]);
		}
	}
	if (words->list != words->first_list) {
		efree(words->list);
		efree(words->owners);
	}
	words->list = words->first_list;
	words->count = 0;
}

void php_leveret_redis_add_literal(redis_words *words, const char *word)
{
	add(words, php_leveret_bytes(word, strlen(word)), NULL);
}

void php_leveret_redis_add_own(redis_words *words, zend_string *string)
{
	add(words, php_leveret_string(string), string);
}

void php_leveret_redis_add_string(redis_words *words, zend_string *string)
{
	php_leveret_redis_add_own(words, zend_string_copy(string));
}

void php_leveret_redis_add_long(redis_words *words, zend_long number)
{
	php_leveret_redis_add_own(words, zend_long_to_str(number));
}

void php_leveret_redis_add_double(redis_words *words, double number)
{
	/* As the original prints it; a locale may have put a comma. */
	char text[64];
	int len = snprintf(text, sizeof(text), "%.17g", number);
	char *comma = memchr(text, ',', (size_t) len);
	if (comma) {
		*comma = '.';
	}
	php_leveret_redis_add_own(words, zend_string_init(text, (size_t) len, 0));
}

void php_leveret_redis_add_text(redis_words *words, zval *value)
{
	php_leveret_redis_add_own(words, zval_get_string(value));
}

void php_leveret_redis_add_key(redis_words *words, zend_string *key)
{
	php_leveret_redis_add_own(words, php_leveret_redis_full_key(words->self, key));
}

void php_leveret_redis_add_key_of(redis_words *words, zval *key)
{
	zend_string *text = zval_get_string(key);
	php_leveret_redis_add_key(words, text);
	zend_string_release(text);
}

void php_leveret_redis_add_value(redis_words *words, zval *value)
{
	zend_string *packed = php_leveret_redis_pack(words->self, value);
	php_leveret_redis_add_own(words, packed ? packed : ZSTR_EMPTY_ALLOC());
}
