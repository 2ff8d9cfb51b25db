/* apcu/search.c: the conditions of an APCUIterator, and its walk. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "search.h"

#include "ext/pcre/php_pcre.h"

/* Most keys are shorter: then the string is made once. */
#define CANDIDATE_ROOM_MIN 250

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
	/* Of the items whose key does not match nothing is wanted, and the others are few. */
	php_leveret_walk_start(&position->walk, arena, apcu_now(), search->keys_only || search->regex);
	position->candidate = NULL;
	position->candidate_room = 0;
	if (search->keys) {
		zend_hash_internal_pointer_reset_ex(search->keys, &position->key);
	}
}

void php_leveret_apcu_position_end(apcu_position *position)
{
	php_leveret_walk_end(&position->walk);
	if (position->candidate) {
		zend_string_efree(position->candidate);
		position->candidate = NULL;
	}
}

/* By PHP's own function: pcre2_match() has another name where PHP was built with its own PCRE, as in Docker's images. */
static bool matches(pcre_cache_entry *regex, zend_string *key)
{
	zval matched;
#if PHP_VERSION_ID >= 80400
	php_pcre_match_impl(regex, key, &matched, NULL, false, 0, 0);
#else
	php_pcre_match_impl(regex, key, &matched, NULL, 0, 0, 0, 0);
#endif
	return Z_TYPE(matched) == IS_LONG && Z_LVAL(matched) > 0;
}

static zend_string *new_key(const leveret_record *record)
{
	return zend_string_init((const char *) (record + 1), record->key_len, 0);
}

/* The key in one string for all that do not match. */
static zend_string *candidate_of(apcu_position *position, const leveret_record *record)
{
	zend_string *key = position->candidate;
	if (UNEXPECTED(!key || record->key_len > position->candidate_room)) {
		if (key) {
			zend_string_efree(key);
			position->candidate = NULL;
		}
		position->candidate_room = MAX(record->key_len, CANDIDATE_ROOM_MIN);
		position->candidate = key = zend_string_alloc(position->candidate_room, 0);
	}
	/* PCRE notes there whether the bytes before these are UTF-8. */
	GC_TYPE_INFO(key) = GC_STRING;
	ZSTR_H(key) = 0;
	ZSTR_LEN(key) = record->key_len;
	memcpy(ZSTR_VAL(key), record + 1, record->key_len);
	ZSTR_VAL(key)[record->key_len] = '\0';
	return key;
}

/* NULL: the walk is over. */
static const leveret_record *next_match(const apcu_search *search, apcu_position *position)
{
	/* Compiled once and then taken from PHP's cache of regular expressions. */
	pcre_cache_entry *regex = pcre_get_compiled_regex_cache(search->regex);
	if (UNEXPECTED(!regex)) {
		return NULL;
	}
	const leveret_record *record;
	php_pcre_pce_incref(regex);
	while ((record = php_leveret_walk_next(&position->walk)) && !matches(regex, candidate_of(position, record)))
		;
	php_pcre_pce_decref(regex);
	return record;
}

static bool peek(leveret_arena *arena, zend_string *key, leveret_found *found)
{
	return apcu_noticed(arena, leveret_peek(arena, php_leveret_string(key), apcu_now(), found)) == LEVERET_OK;
}

static bool next_of_all(const apcu_search *search, apcu_position *position, leveret_found *found, zend_string **key)
{
	const leveret_record *record;
	while ((record = search->regex ? next_match(search, position) : php_leveret_walk_next(&position->walk))) {
		*key = new_key(record);
		*found = record->found;
		if (search->keys_only || !search->regex || peek(position->walk.arena, *key, found)) {
			return true;
		}
		zend_string_efree(*key);
	}
	return false;
}

bool php_leveret_apcu_position_next(
	const apcu_search *search, apcu_position *position, leveret_found *found, zend_string **key)
{
	if (!search->keys) {
		return next_of_all(search, position, found, key);
	}
	zend_ulong index;
	while (zend_hash_get_current_key_ex(search->keys, key, &index, &position->key) == HASH_KEY_IS_STRING) {
		zend_hash_move_forward_ex(search->keys, &position->key);
		if (peek(position->walk.arena, *key, found)) {
			zend_string_addref(*key);
			return true;
		}
	}
	return false;
}
