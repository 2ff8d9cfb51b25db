/* redis/build_admin.c: builders of commands that have a word of their own behind the name, of scripts and of servers. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "builders.h"

/* A word and what follows it. */
#define PARSE_WORD(least) \
	zend_string *word = NULL; \
	zval *arguments = NULL; \
	uint32_t count = 0; \
	if (zend_parse_parameters(ZEND_NUM_ARGS(), (least) ? "S*" : "|S*", &word, &arguments, &count) == FAILURE) { \
		return false; \
	}

static void add_texts(redis_words *words, zval *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		php_leveret_redis_add_text(words, &values[i]);
	}
}

static bool is_one_of(const zval *value, const char *first, const char *second)
{
	return Z_TYPE_P(value) == IS_STRING && (redis_is(Z_STR_P(value), first) || redis_is(Z_STR_P(value), second));
}

/* --- words whose reply has a shape of its own --- */

typedef struct word_row {
	const char *word;
	uint32_t least; /* arguments behind it */
	redis_shape shape;
} word_row;

static const word_row *row_of_word(const word_row *rows, const zend_string *word)
{
	for (; rows->word; rows++) {
		if (redis_is(word, rows->word)) {
			return rows;
		}
	}
	return NULL;
}

REDIS_BUILDER(acl)
{
	static const word_row rows[] = {
		{ "CAT", 0, php_leveret_redis_any },
		{ "LIST", 0, php_leveret_redis_any },
		{ "USERS", 0, php_leveret_redis_any },
		{ "LOAD", 0, php_leveret_redis_bool },
		{ "SAVE", 0, php_leveret_redis_bool },
		{ "GENPASS", 0, php_leveret_redis_string },
		{ "WHOAMI", 0, php_leveret_redis_string },
		{ "SETUSER", 1, php_leveret_redis_bool },
		{ "DELUSER", 1, php_leveret_redis_int },
		{ "GETUSER", 1, php_leveret_redis_user },
		{ "DRYRUN", 2, php_leveret_redis_bool },
		{ "LOG", 0, php_leveret_redis_log },
		{ NULL, 0, NULL },
	};
	PARSE_WORD(1);
	const word_row *row = row_of_word(rows, word);
	if (!row) {
		return redis_refuse_word("ACL operation", word);
	}
	if (count < row->least) {
		php_error_docref(NULL, E_WARNING, "ACL %s requires at least %s", row->word,
			row->least == 1 ? "one argument" : "two arguments");
		return false;
	}
	bool resets = count > 0 && Z_TYPE(arguments[0]) == IS_STRING && redis_is(Z_STR(arguments[0]), "RESET");
	call->shape = row->shape == php_leveret_redis_log && resets ? php_leveret_redis_bool : row->shape;
	php_leveret_redis_add_string(&call->words, word);
	add_texts(&call->words, arguments, count);
	return true;
}

REDIS_BUILDER(command)
{
	static const word_row rows[] = {
		{ "COUNT", 0, php_leveret_redis_int },
		{ "DOCS", 0, php_leveret_redis_tree },
		{ "INFO", 0, php_leveret_redis_tree },
		{ "GETKEYS", 0, php_leveret_redis_list_raw },
		{ "LIST", 0, php_leveret_redis_list_raw },
		{ "GETKEYSANDFLAGS", 0, php_leveret_redis_tree },
		{ NULL, 0, NULL },
	};
	PARSE_WORD(0);
	if (!word) {
		return true;
	}
	const word_row *row = row_of_word(rows, word);
	if (!row) {
		return redis_refuse_word("COMMAND operation", word);
	}
	call->shape = row->shape;
	php_leveret_redis_add_string(&call->words, word);
	add_texts(&call->words, arguments, row == rows ? 0 : count);
	return true;
}

REDIS_BUILDER(function)
{
	static const word_row rows[] = {
		{ "DELETE", 1, php_leveret_redis_bool },
		{ "DUMP", 0, php_leveret_redis_string },
		{ "FLUSH", 0, php_leveret_redis_bool },
		{ "KILL", 0, php_leveret_redis_bool },
		{ "LIST", 0, php_leveret_redis_functions },
		{ "LOAD", 1, php_leveret_redis_string },
		{ "RESTORE", 1, php_leveret_redis_bool },
		{ "STATS", 0, php_leveret_redis_functions },
		{ NULL, 0, NULL },
	};
	PARSE_WORD(1);
	for (uint32_t i = 0; i < count; i++) {
		if (Z_TYPE(arguments[i]) != IS_STRING) {
			return redis_warn("invalid argument");
		}
	}
	const word_row *row = row_of_word(rows, word);
	if (!row) {
		return redis_refuse_word("operation", word);
	}
	const zend_string *first = count ? Z_STR(arguments[0]) : NULL;
	if (redis_is(word, "RESTORE")) {
		if (count < 1
			|| (count > 1 && !is_one_of(&arguments[1], "FLUSH", "APPEND")
				&& !is_one_of(&arguments[1], "REPLACE", "REPLACE"))) {
			return redis_warn("invalid argument");
		}
	} else if (count < row->least || (first && redis_is(word, "LOAD") && redis_is(first, "REPLACE") && count < 2)
		|| (first && redis_is(word, "LIST") && redis_is(first, "LIBRARYNAME") && count < 2)) {
		return redis_warn("argument required");
	} else if (first
		&& ((redis_is(word, "FLUSH") && !redis_is(first, "SYNC") && !redis_is(first, "ASYNC"))
			|| (redis_is(word, "LIST") && !redis_is(first, "LIBRARYNAME") && !redis_is(first, "WITHCODE")))) {
		return redis_warn("invalid argument");
	}
	call->shape = row->shape;
	php_leveret_redis_add_string(&call->words, word);
	add_texts(&call->words, arguments, count);
	return true;
}

REDIS_BUILDER(slowlog)
{
	zend_string *word;
	zend_long count = 0;
	REDIS_PARSE("S|l", &word, &count);
	if (!redis_is(word, "GET") && !redis_is(word, "LEN") && !redis_is(word, "RESET")) {
		return redis_refuse_word("SLOWLOG operation", word);
	}
	php_leveret_redis_add_string(&call->words, word);
	if (redis_is(word, "GET") && ZEND_NUM_ARGS() == 2) {
		php_leveret_redis_add_long(&call->words, count);
	}
	return true;
}

REDIS_BUILDER(pubsub)
{
	zend_string *word;
	zval *argument = NULL, *channel;
	REDIS_PARSE("S|z", &word, &argument);
	bool lists = redis_is(word, "CHANNELS") || redis_is(word, "SHARDCHANNELS");
	bool counts = redis_is(word, "NUMSUB") || redis_is(word, "SHARDNUMSUB");
	if (!lists && !counts && !redis_is(word, "NUMPAT")) {
		return redis_refuse_word("PUBSUB operation", word);
	}
	if (lists && argument && Z_TYPE_P(argument) != IS_STRING) {
		return redis_warn("Invalid pattern value");
	}
	if (counts && argument && Z_TYPE_P(argument) != IS_ARRAY) {
		return redis_warn("Invalid channels value");
	}
	php_leveret_redis_add_string(&call->words, word);
	if (lists) {
		call->shape = php_leveret_redis_any;
		if (argument) {
			php_leveret_redis_add_string(&call->words, Z_STR_P(argument));
		}
	} else if (counts) {
		call->shape = php_leveret_redis_pairs_counts;
		if (argument) {
			ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(argument), channel) {
				php_leveret_redis_add_key_of(&call->words, channel);
			}
			ZEND_HASH_FOREACH_END();
		}
	}
	return true;
}

/* --- CONFIG --- */

static bool add_settings(redis_words *words, HashTable *settings)
{
	zend_string *name;
	zval *value;
	ZEND_HASH_FOREACH_STR_KEY_VAL(settings, name, value) {
		if (!name) {
			return redis_warn("Must pass an associate array of config keys and values");
		}
		php_leveret_redis_add_string(words, name);
		php_leveret_redis_add_text(words, value);
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

REDIS_BUILDER(config)
{
	zend_string *word, *value = NULL;
	zval *name = NULL, *one;
	REDIS_PARSE("S|z!S!", &word, &name, &value);
	redis_words *words = &call->words;
	php_leveret_redis_add_string(words, word);
	bool is_array = name && Z_TYPE_P(name) == IS_ARRAY;
	if (redis_is(word, "RESETSTAT") || redis_is(word, "REWRITE")) {
		return true;
	}
	if (redis_is(word, "GET")) {
		call->shape = php_leveret_redis_pairs;
		if (!name || (!is_array && Z_TYPE_P(name) != IS_STRING)) {
			return redis_warn("Must pass a string or array of values to CONFIG GET");
		}
		if (!is_array) {
			php_leveret_redis_add_text(words, name);
			return true;
		}
		if (zend_hash_num_elements(Z_ARRVAL_P(name)) == 0) {
			return redis_warn("Cannot pass an empty array to CONFIG GET");
		}
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(name), one) {
			php_leveret_redis_add_text(words, one);
		}
		ZEND_HASH_FOREACH_END();
		return true;
	}
	if (!redis_is(word, "SET")) {
		return redis_refuse_word("operation", word);
	}
	if (name && value) {
		php_leveret_redis_add_text(words, name);
		php_leveret_redis_add_string(words, value);
		return true;
	}
	if (!is_array || zend_hash_num_elements(Z_ARRVAL_P(name)) == 0) {
		return redis_warn("Must either pass two strings to CONFIG SET or a non-empty array of values");
	}
	return add_settings(words, Z_ARRVAL_P(name));
}

/* --- CLIENT --- */

static const word_row client_rows[] = {
	{ "INFO", 0, php_leveret_redis_client_info },
	{ "LIST", 0, php_leveret_redis_client_list },
	{ "CACHING", 1, php_leveret_redis_bool },
	{ "GETNAME", 0, php_leveret_redis_string },
	{ "GETREDIR", 0, php_leveret_redis_int },
	{ "ID", 0, php_leveret_redis_int },
	{ "KILL", 0, php_leveret_redis_bool },
	{ "NO-EVICT", 1, php_leveret_redis_bool },
	{ "PAUSE", 1, php_leveret_redis_bool },
	{ "REPLY", 0, php_leveret_redis_bool },
	{ "SETNAME", 1, php_leveret_redis_bool },
	{ "TRACKING", 1, php_leveret_redis_bool },
	{ "TRACKINGINFO", 0, php_leveret_redis_tracking },
	{ "UNBLOCK", 1, php_leveret_redis_int },
	{ "UNPAUSE", 0, php_leveret_redis_bool },
	{ NULL, 0, NULL },
};

/* An options array as words: each name with its value, or its values. */
static bool add_named(redis_words *words, HashTable *options, const char *const *names)
{
	for (; *names; names++) {
		zend_string *name;
		zval *value, *one;
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, value) {
			ZVAL_DEREF(value);
			if (!name || !redis_is(name, *names)) {
				continue;
			}
			if (Z_TYPE_P(value) != IS_STRING && Z_TYPE_P(value) != IS_ARRAY) {
				return false;
			}
			php_leveret_redis_add_literal(words, *names);
			if (Z_TYPE_P(value) == IS_STRING) {
				php_leveret_redis_add_text(words, value);
				continue;
			}
			ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), one) {
				php_leveret_redis_add_text(words, one);
			}
			ZEND_HASH_FOREACH_END();
		}
		ZEND_HASH_FOREACH_END();
	}
	return true;
}

static bool add_tracking(redis_words *words, HashTable *options)
{
	static const char *const flags[] = { "BCAST", "OPTIN", "OPTOUT", "NOLOOP" };
	static const char *const redirect[] = { "REDIRECT", NULL };
	zend_string *name;
	zval *value, *one;
	if (!add_named(words, options, redirect)) {
		return false;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, value) {
		ZVAL_DEREF(value);
		if (!name || !redis_is(name, "prefix")) {
			continue;
		}
		if (Z_TYPE_P(value) != IS_ARRAY) {
			php_leveret_redis_add_literal(words, "PREFIX");
			php_leveret_redis_add_text(words, value);
			continue;
		}
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), one) {
			php_leveret_redis_add_literal(words, "PREFIX");
			php_leveret_redis_add_text(words, one);
		}
		ZEND_HASH_FOREACH_END();
	}
	ZEND_HASH_FOREACH_END();
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, value) {
			if (name && redis_is(name, flags[i]) && zend_is_true(value)) {
				php_leveret_redis_add_literal(words, flags[i]);
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	return true;
}

/* "on" and "off" go as they are, all else by whether it is true. */
static void add_switch(redis_words *words, zval *value, const char *yes, const char *no)
{
	if (is_one_of(value, yes, no)) {
		php_leveret_redis_add_string(words, Z_STR_P(value));
	} else {
		php_leveret_redis_add_literal(words, zend_is_true(value) ? yes : no);
	}
}

REDIS_BUILDER(client)
{
	static const char *const of_list[] = { "TYPE", "ID", NULL };
	static const char *const of_kill[] = { "ID", "TYPE", "USER", "ADDR", "LADDR", "SKIPME", NULL };
	PARSE_WORD(1);
	const word_row *row = row_of_word(client_rows, word);
	redis_words *words = &call->words;
	if (!row || count < row->least) {
		return false;
	}
	call->shape = row->shape;
	php_leveret_redis_add_string(words, word);
	zval *first = count > 0 ? &arguments[0] : NULL, *second = count > 1 ? &arguments[1] : NULL;
	if (strcmp(row->word, "LIST") == 0) {
		return !first || (Z_TYPE_P(first) == IS_ARRAY && add_named(words, Z_ARRVAL_P(first), of_list));
	}
	if (strcmp(row->word, "KILL") == 0) {
		zval *options = second ? second : first && Z_TYPE_P(first) == IS_ARRAY ? first : NULL;
		if (first && first != options) {
			if (Z_TYPE_P(first) != IS_STRING) {
				return false;
			}
			php_leveret_redis_add_string(words, Z_STR_P(first));
		}
		return !options || (Z_TYPE_P(options) == IS_ARRAY && add_named(words, Z_ARRVAL_P(options), of_kill));
	}
	if (strcmp(row->word, "CACHING") == 0) {
		add_switch(words, first, "YES", "NO");
	} else if (strcmp(row->word, "NO-EVICT") == 0) {
		add_switch(words, first, "ON", "OFF");
	} else if (strcmp(row->word, "TRACKING") == 0) {
		add_switch(words, first, "ON", "OFF");
		return !second || (Z_TYPE_P(second) == IS_ARRAY && add_tracking(words, Z_ARRVAL_P(second)));
	} else if (strcmp(row->word, "PAUSE") == 0) {
		if (Z_TYPE_P(first) != IS_LONG || (second && !is_one_of(second, "write", "all"))) {
			return false;
		}
		add_texts(words, arguments, MIN(count, 2));
	} else if (strcmp(row->word, "REPLY") == 0) {
		if (first && !is_one_of(first, "on", "off") && !is_one_of(first, "skip", "skip")) {
			return false;
		}
		add_texts(words, arguments, MIN(count, 1));
	} else if (strcmp(row->word, "SETNAME") == 0 || strcmp(row->word, "UNBLOCK") == 0) {
		bool unblocks = strcmp(row->word, "UNBLOCK") == 0;
		if (Z_TYPE_P(first) != IS_STRING || (unblocks && second && !is_one_of(second, "timeout", "error"))) {
			return false;
		}
		add_texts(words, arguments, MIN(count, unblocks ? 2 : 1));
	}
	return true;
}

/* --- scripts --- */

REDIS_BUILDER(eval)
{
	zend_string *script;
	HashTable *arguments = NULL;
	zval *argument;
	zend_long keys = 0;
	REDIS_PARSE("S|hl", &script, &arguments, &keys);
	php_leveret_redis_add_string(&call->words, script);
	php_leveret_redis_add_long(&call->words, keys);
	if (arguments) {
		ZEND_HASH_FOREACH_VAL(arguments, argument) {
			if (keys-- > 0) {
				php_leveret_redis_add_key_of(&call->words, argument);
			} else {
				php_leveret_redis_add_text(&call->words, argument);
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	return true;
}

REDIS_BUILDER(fcall)
{
	zend_string *name;
	HashTable *keys = NULL, *arguments = NULL;
	zval *one;
	REDIS_PARSE("S|hh", &name, &keys, &arguments);
	php_leveret_redis_add_string(&call->words, name);
	php_leveret_redis_add_long(&call->words, keys ? zend_hash_num_elements(keys) : 0);
	if (keys) {
		ZEND_HASH_FOREACH_VAL(keys, one) {
			php_leveret_redis_add_key_of(&call->words, one);
		}
		ZEND_HASH_FOREACH_END();
	}
	if (arguments) {
		ZEND_HASH_FOREACH_VAL(arguments, one) {
			php_leveret_redis_add_value(&call->words, one);
		}
		ZEND_HASH_FOREACH_END();
	}
	return true;
}

REDIS_BUILDER(script)
{
	PARSE_WORD(1);
	redis_words *words = &call->words;
	if (redis_is(word, "kill")) {
		php_leveret_redis_add_literal(words, "KILL");
	} else if (redis_is(word, "flush")) {
		if (count > 0 && !is_one_of(&arguments[0], "sync", "async")) {
			return false;
		}
		php_leveret_redis_add_literal(words, "FLUSH");
		add_texts(words, arguments, MIN(count, 1));
	} else if (redis_is(word, "load")) {
		if (count < 1 || Z_TYPE(arguments[0]) != IS_STRING || Z_STRLEN(arguments[0]) < 1) {
			return false;
		}
		php_leveret_redis_add_literal(words, "LOAD");
		add_texts(words, arguments, 1);
	} else if (redis_is(word, "exists")) {
		php_leveret_redis_add_literal(words, "EXISTS");
		add_texts(words, arguments, count);
		return count > 0;
	} else {
		return false;
	}
	return true;
}
