/* apcu/search.c: the conditions of an APCUIterator, and its walk. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "search.h"

#include "ext/pcre/php_pcre.h"

void php_leveret_apcu_search_free(apcu_search *search)
{
	if (search->regex) {
		zend_string_release(search->regex);
		search->regex = NULL;
	}
	if (search->keys) {
		zend_array_destroy(search->keys);
		search->keys = NULL;
	}
}

void php_leveret_apcu_position_start(leveret_arena *arena, const apcu_search *search, apcu_position *position)
{
	php_leveret_walk_start(&position->walk, arena, apcu_now());
	if (search->keys) {
		zend_hash_internal_pointer_reset_ex(search->keys, &position->key);
	}
}

void php_leveret_apcu_position_end(apcu_position *position)
{
	php_leveret_walk_end(&position->walk);
}

/* By PHP's own function: pcre2_match() has another name where PHP was built with its own PCRE, as in Docker's images. */
static bool matches(pcre_cache_entry *regex, zend_string *key)
{
	zval matched;
	php_pcre_pce_incref(regex);
#if PHP_VERSION_ID >= 80400
	php_pcre_match_impl(regex, key, &matched, NULL, false, 0, 0);
#else
	php_pcre_match_impl(regex, key, &matched, NULL, 0, 0, 0, 0);
#endif
	php_pcre_pce_decref(regex);
	return Z_TYPE(matched) == IS_LONG && Z_LVAL(matched) > 0;
}

bool php_leveret_apcu_position_next(
	const apcu_search *search, apcu_position *position, leveret_found *found, zend_string **key)
{
	leveret_arena *arena = position->walk.arena;
	if (!search->keys) {
		const leveret_record *record;
		/* Compiled once and then taken from PHP's cache of regular expressions. */
		pcre_cache_entry *regex = search->regex ? pcre_get_compiled_regex_cache(search->regex) : NULL;
		if (UNEXPECTED(search->regex && !regex)) {
			return false;
		}
		while ((record = php_leveret_walk_next(&position->walk))) {
			*key = zend_string_init((const char *) (record + 1), record->key_len, 0);
			if (!regex || matches(regex, *key)) {
				*found = record->found;
				return true;
			}
			zend_string_efree(*key);
		}
		return false;
	}
	zend_ulong index;
	while (zend_hash_get_current_key_ex(search->keys, key, &index, &position->key) == HASH_KEY_IS_STRING) {
		zend_hash_move_forward_ex(search->keys, &position->key);
		if (apcu_noticed(arena, leveret_peek(arena, php_leveret_string(*key), apcu_now(), found)) == LEVERET_OK) {
			zend_string_addref(*key);
			return true;
		}
	}
	return false;
}
