/* redis/build_sorted.c: builders of commands on sorted sets, of SORT, and of those on many keys. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "builders.h"

static void add_keys(redis_words *words, HashTable *keys)
{
	zval *key;
	php_leveret_redis_add_long(words, zend_hash_num_elements(keys));
	ZEND_HASH_FOREACH_VAL(keys, key) {
		php_leveret_redis_add_key_of(words, key);
	}
	ZEND_HASH_FOREACH_END();
}

static bool add_score(redis_words *words, zval *score)
{
	zend_long number;
	double real;
	int type = 0;
	ZVAL_DEREF(score);
	if (Z_TYPE_P(score) == IS_LONG) {
		type = IS_LONG;
		number = Z_LVAL_P(score);
	} else if (Z_TYPE_P(score) == IS_DOUBLE) {
		type = IS_DOUBLE;
		real = Z_DVAL_P(score);
	} else if (Z_TYPE_P(score) == IS_STRING) {
		const zend_string *text = Z_STR_P(score);
		type = is_numeric_string(ZSTR_VAL(text), ZSTR_LEN(text), &number, &real, false);
		if (!type && (redis_is(text, "-inf") || redis_is(text, "+inf") || redis_is(text, "inf"))) {
			php_leveret_redis_add_string(words, Z_STR_P(score));
			return true;
		}
	}
	if (type == IS_LONG) {
		php_leveret_redis_add_long(words, number);
	} else if (type == IS_DOUBLE) {
		php_leveret_redis_add_double(words, real);
	} else {
		return redis_warn("scores must be numeric or '-inf', 'inf', '+inf'");
	}
	return true;
}

/* --- options of the Z commands --- */

enum { HAS_SCORES = 1, HAS_ORDER = 2, HAS_LIMIT = 4, HAS_AGGREGATE = 8 };

typedef struct z_options {
	bool with_scores, by_score, by_lex, reversed, has_limit;
	zend_string *aggregate;
	zend_long offset, count;
} z_options;

static void take_word(z_options *found, const zend_string *word, int allowed)
{
	if ((allowed & HAS_ORDER) && redis_is(word, "BYSCORE")) {
		found->by_score = true;
		found->by_lex = false;
	} else if ((allowed & HAS_ORDER) && redis_is(word, "BYLEX")) {
		found->by_lex = true;
		found->by_score = false;
	} else if ((allowed & HAS_ORDER) && redis_is(word, "REV")) {
		found->reversed = true;
	} else if ((allowed & HAS_SCORES) && redis_is(word, "WITHSCORES")) {
		found->with_scores = true;
	}
}

static void take_limit(z_options *found, zval *value)
{
	zval *offset = zend_hash_index_find(Z_ARRVAL_P(value), 0), *count = zend_hash_index_find(Z_ARRVAL_P(value), 1);
	if (!offset || !count) {
		php_error_docref(NULL, E_WARNING, "LIMIT offset and count must be an array with twe elements");
		return;
	}
	found->has_limit = true;
	found->offset = zval_get_long(offset);
	found->count = zval_get_long(count);
}

static void take_options(z_options *found, zval *options, int allowed)
{
	zend_string *name;
	zval *value;
	memset(found, 0, sizeof(*found));
	if (!options) {
		return;
	}
	if (Z_TYPE_P(options) != IS_ARRAY) {
		found->with_scores = Z_TYPE_P(options) == IS_TRUE && (allowed & HAS_SCORES);
		return;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(options), name, value) {
		ZVAL_DEREF(value);
		if (!name) {
			if (Z_TYPE_P(value) == IS_STRING) {
				take_word(found, Z_STR_P(value), allowed);
			}
		} else if ((allowed & HAS_SCORES) && redis_is(name, "WITHSCORES")) {
			found->with_scores = zend_is_true(value);
		} else if ((allowed & HAS_LIMIT) && redis_is(name, "LIMIT") && Z_TYPE_P(value) == IS_ARRAY) {
			take_limit(found, value);
		} else if ((allowed & HAS_AGGREGATE) && redis_is(name, "AGGREGATE") && Z_TYPE_P(value) == IS_STRING) {
			const zend_string *word = Z_STR_P(value);
			if (redis_is(word, "SUM") || redis_is(word, "MIN") || redis_is(word, "MAX")) {
				found->aggregate = Z_STR_P(value);
			} else {
				php_error_docref(NULL, E_WARNING, "Valid AGGREGATE options are 'SUM', 'MIN', or 'MAX'");
			}
		}
	}
	ZEND_HASH_FOREACH_END();
}

static bool is_bound(const char *text, size_t len)
{
	return (len > 1 && (*text == '[' || *text == '(')) || (len == 1 && (*text == '+' || *text == '-'));
}

static bool is_lex(const zval *bound)
{
	return Z_TYPE_P(bound) == IS_STRING && is_bound(Z_STRVAL_P(bound), Z_STRLEN_P(bound));
}

REDIS_BUILDER(zrange)
{
	const char *command = call->row->command;
	bool stores = strcmp(command, "ZRANGESTORE") == 0, is_rank = strcmp(command, "ZREVRANGE") == 0;
	int allowed = stores || strcmp(command, "ZRANGE") == 0 ? HAS_SCORES | HAS_ORDER | HAS_LIMIT
		: is_rank                                          ? HAS_SCORES
														   : HAS_SCORES | HAS_LIMIT;
	zend_string *to = NULL, *key;
	zend_long first = 0, last = 0;
	zval *from = NULL, *until = NULL, *options = NULL;
	z_options found;
	if (stores) {
		REDIS_PARSE("SSzz|z!", &to, &key, &from, &until, &options);
	} else if (is_rank) {
		REDIS_PARSE("Sll|z!", &key, &first, &last, &options);
	} else {
		REDIS_PARSE("Szz|z!", &key, &from, &until, &options);
	}
	take_options(&found, options, allowed);
	if (found.by_lex && (!is_lex(from) || !is_lex(until))) {
		return redis_warn("Legographical args must start with '[' or '(' or be '+' or '-'");
	}
	redis_words *words = &call->words;
	if (stores) {
		php_leveret_redis_add_key(words, to);
	}
	php_leveret_redis_add_key(words, key);
	if (is_rank) {
		php_leveret_redis_add_long(words, first);
		php_leveret_redis_add_long(words, last);
	} else {
		php_leveret_redis_add_text(words, from);
		php_leveret_redis_add_text(words, until);
	}
	if (found.by_score || found.by_lex) {
		php_leveret_redis_add_literal(words, found.by_score ? "BYSCORE" : "BYLEX");
	}
	if (found.reversed) {
		php_leveret_redis_add_literal(words, "REV");
	}
	if (found.has_limit) {
		php_leveret_redis_add_literal(words, "LIMIT");
		php_leveret_redis_add_long(words, found.offset);
		php_leveret_redis_add_long(words, found.count);
	}
	if (found.with_scores) {
		php_leveret_redis_add_literal(words, "WITHSCORES");
		if (!stores) {
			call->shape = php_leveret_redis_pairs_scores;
		}
	}
	return true;
}

static bool refuse_bounds(void)
{
	return redis_warn("Min/Max args can be '-' or '+', or start with '[' or '('");
}

REDIS_BUILDER(lex)
{
	zend_string *key, *from, *to;
	REDIS_PARSE("SSS", &key, &from, &to);
	if (!is_bound(ZSTR_VAL(from), ZSTR_LEN(from)) || !is_bound(ZSTR_VAL(to), ZSTR_LEN(to))) {
		return refuse_bounds();
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_string(&call->words, from);
	php_leveret_redis_add_string(&call->words, to);
	return true;
}

REDIS_BUILDER(lex_range)
{
	zend_string *key, *from, *to;
	zend_long offset, count;
	if (ZEND_NUM_ARGS() != 3 && ZEND_NUM_ARGS() != 5) {
		return redis_warn("Must pass either 3 or 5 arguments");
	}
	REDIS_PARSE("SSS|ll", &key, &from, &to, &offset, &count);
	if (!is_bound(ZSTR_VAL(from), ZSTR_LEN(from)) || !is_bound(ZSTR_VAL(to), ZSTR_LEN(to))) {
		return refuse_bounds();
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_string(&call->words, from);
	php_leveret_redis_add_string(&call->words, to);
	if (ZEND_NUM_ARGS() == 5) {
		php_leveret_redis_add_literal(&call->words, "LIMIT");
		php_leveret_redis_add_long(&call->words, offset);
		php_leveret_redis_add_long(&call->words, count);
	}
	return true;
}

REDIS_BUILDER(zadd)
{
	zend_string *key, *condition = NULL, *order = NULL;
	zval *arguments, *option;
	uint32_t count, at = 0;
	bool changed = false, counts = false;
	ZEND_PARSE_PARAMETERS_START(3, -1)
		Z_PARAM_STR(key)
		Z_PARAM_VARIADIC('*', arguments, count)
	ZEND_PARSE_PARAMETERS_END_EX(return false);
	if (count % 2 != 0) {
		if (Z_TYPE(arguments[0]) != IS_ARRAY) {
			return false;
		}
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL(arguments[0]), option) {
			if (Z_TYPE_P(option) != IS_STRING) {
				continue;
			}
			zend_string *word = Z_STR_P(option);
			if (redis_is(word, "NX") || redis_is(word, "XX")) {
				condition = word;
			} else if (redis_is(word, "LT") || redis_is(word, "GT")) {
				order = word;
			} else if (redis_is(word, "CH")) {
				changed = true;
			} else if (redis_is(word, "INCR")) {
				if (count != 3) {
					return false;
				}
				counts = true;
			}
		}
		ZEND_HASH_FOREACH_END();
		at = 1;
	}
	redis_words *words = &call->words;
	php_leveret_redis_add_key(words, key);
	if (condition) {
		php_leveret_redis_add_string(words, condition);
	}
	if (order) {
		php_leveret_redis_add_string(words, order);
	}
	if (changed) {
		php_leveret_redis_add_literal(words, "CH");
	}
	if (counts) {
		php_leveret_redis_add_literal(words, "INCR");
		call->shape = php_leveret_redis_double;
	}
	for (; at < count; at += 2) {
		if (!add_score(words, &arguments[at])) {
			return false;
		}
		php_leveret_redis_add_value(words, &arguments[at + 1]);
	}
	return true;
}

REDIS_BUILDER(zrandmember)
{
	zend_string *key, *name;
	HashTable *options = NULL;
	zval *option;
	int32_t count = 0;
	bool with_scores = false;
	REDIS_PARSE("S|h", &key, &options);
	if (options) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, option) {
			if (name && redis_is(name, "count")) {
				count = (int32_t) zval_get_long(option);
			} else if (name && redis_is(name, "withscores")) {
				with_scores = zend_is_true(option);
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	php_leveret_redis_add_key(&call->words, key);
	if (count) {
		php_leveret_redis_add_long(&call->words, count);
		call->shape = php_leveret_redis_list_raw;
	}
	if (with_scores) {
		php_leveret_redis_add_literal(&call->words, "WITHSCORES");
		call->shape = php_leveret_redis_pairs_scores;
	}
	return true;
}

/* --- unions and the like --- */

static bool add_weights(redis_words *words, HashTable *weights)
{
	zval *weight;
	php_leveret_redis_add_literal(words, "WEIGHTS");
	ZEND_HASH_FOREACH_VAL(weights, weight) {
		if (!add_score(words, weight)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

REDIS_BUILDER(zunion)
{
	bool is_difference = strcmp(call->row->command, "ZDIFF") == 0;
	HashTable *keys, *weights = NULL;
	zval *options = NULL;
	z_options found;
	if (is_difference) {
		REDIS_PARSE("h|a", &keys, &options);
	} else {
		REDIS_PARSE("h|h!a", &keys, &weights, &options);
	}
	if (zend_hash_num_elements(keys) == 0) {
		return false;
	}
	if (weights && zend_hash_num_elements(weights) != zend_hash_num_elements(keys)) {
		return redis_warn("WEIGHTS and keys array should be the same size!");
	}
	take_options(&found, options, is_difference ? HAS_SCORES : HAS_SCORES | HAS_AGGREGATE);
	add_keys(&call->words, keys);
	if (weights && !add_weights(&call->words, weights)) {
		return false;
	}
	if (found.aggregate) {
		php_leveret_redis_add_literal(&call->words, "AGGREGATE");
		php_leveret_redis_add_string(&call->words, found.aggregate);
	}
	if (found.with_scores) {
		php_leveret_redis_add_literal(&call->words, "WITHSCORES");
		call->shape = php_leveret_redis_pairs_scores;
	}
	return true;
}

REDIS_BUILDER(zunionstore)
{
	zend_string *to, *aggregate = NULL;
	HashTable *keys, *weights = NULL;
	REDIS_PARSE("Sh|h!S!", &to, &keys, &weights, &aggregate);
	if (zend_hash_num_elements(keys) == 0) {
		return false;
	}
	if (weights && zend_hash_num_elements(weights) != zend_hash_num_elements(keys)) {
		return redis_warn("WEIGHTS and keys array must be the same size!");
	}
	if (aggregate && !redis_is(aggregate, "SUM") && !redis_is(aggregate, "MIN") && !redis_is(aggregate, "MAX")) {
		return redis_warn("AGGREGATE option must be 'SUM', 'MIN', or 'MAX'");
	}
	php_leveret_redis_add_key(&call->words, to);
	add_keys(&call->words, keys);
	if (weights && !add_weights(&call->words, weights)) {
		return false;
	}
	if (aggregate) {
		php_leveret_redis_add_literal(&call->words, "AGGREGATE");
		php_leveret_redis_add_string(&call->words, aggregate);
	}
	return true;
}

REDIS_BUILDER(intercard)
{
	HashTable *keys;
	zend_long limit = -1;
	REDIS_PARSE("h|l", &keys, &limit);
	if (zend_hash_num_elements(keys) == 0) {
		return redis_warn("Must pass at least one key");
	}
	if (ZEND_NUM_ARGS() == 2 && limit < 0) {
		return redis_warn("LIMIT cannot be negative");
	}
	add_keys(&call->words, keys);
	if (limit > 0) {
		php_leveret_redis_add_literal(&call->words, "LIMIT");
		php_leveret_redis_add_long(&call->words, limit);
	}
	return true;
}

REDIS_BUILDER(mpop)
{
	bool waits = *call->row->command == 'B', is_sorted = call->row->command[waits] == 'Z';
	double timeout = 0;
	HashTable *keys;
	zend_string *from;
	zend_long count = 1;
	if (waits) {
		REDIS_PARSE("dhS|l", &timeout, &keys, &from, &count);
	} else {
		REDIS_PARSE("hS|l", &keys, &from, &count);
	}
	if (zend_hash_num_elements(keys) == 0) {
		return redis_warn("Must pass at least one key");
	}
	if (count < 1) {
		return redis_warn("Count must be > 0");
	}
	if (!is_sorted && !redis_is(from, "LEFT") && !redis_is(from, "RIGHT")) {
		return redis_warn("from must be either 'LEFT' or 'RIGHT'");
	}
	if (is_sorted && !redis_is(from, "MIN") && !redis_is(from, "MAX")) {
		return redis_warn("from must be either 'MIN' or 'MAX'");
	}
	if (waits) {
		php_leveret_redis_add_double(&call->words, timeout);
	}
	add_keys(&call->words, keys);
	php_leveret_redis_add_string(&call->words, from);
	if (count != 1) {
		php_leveret_redis_add_literal(&call->words, "COUNT");
		php_leveret_redis_add_long(&call->words, count);
	}
	if (is_sorted) {
		call->shape = php_leveret_redis_pops_scores;
	}
	return true;
}

REDIS_BUILDER(pfcount)
{
	zval *keys, *key;
	REDIS_PARSE("z", &keys);
	if (Z_TYPE_P(keys) == IS_STRING) {
		php_leveret_redis_add_key(&call->words, Z_STR_P(keys));
		return true;
	}
	if (Z_TYPE_P(keys) != IS_ARRAY) {
		return redis_warn("Argument must be either an array or a string");
	}
	ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(keys), key) {
		php_leveret_redis_add_key_of(&call->words, key);
	}
	ZEND_HASH_FOREACH_END();
	return zend_hash_num_elements(Z_ARRVAL_P(keys)) > 0;
}

/* --- SORT --- */

static zval *option_of(HashTable *options, const char *lower, const char *upper)
{
	zval *found = zend_hash_str_find_deref(options, lower, strlen(lower));
	return found ? found : zend_hash_str_find_deref(options, upper, strlen(upper));
}

static bool add_patterns(redis_words *words, zval *get)
{
	zval *pattern;
	if (Z_TYPE_P(get) == IS_STRING) {
		php_leveret_redis_add_literal(words, "GET");
		php_leveret_redis_add_string(words, Z_STR_P(get));
		return true;
	}
	uint32_t before = words->count;
	ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(get), pattern) {
		if (Z_TYPE_P(pattern) == IS_STRING) {
			php_leveret_redis_add_literal(words, "GET");
			php_leveret_redis_add_string(words, Z_STR_P(pattern));
		}
	}
	ZEND_HASH_FOREACH_END();
	return words->count > before || redis_warn("Array of GET values requested, but none are valid");
}

static bool is_text_or_number(const zval *value)
{
	return value && (Z_TYPE_P(value) == IS_STRING || Z_TYPE_P(value) == IS_LONG);
}

REDIS_BUILDER(sort)
{
	zend_string *key;
	HashTable *options = NULL;
	zval *found;
	REDIS_PARSE("S|h", &key, &options);
	redis_words *words = &call->words;
	php_leveret_redis_add_key(words, key);
	if (!options) {
		return true;
	}
	if ((found = option_of(options, "by", "BY")) && Z_TYPE_P(found) == IS_STRING) {
		php_leveret_redis_add_literal(words, "BY");
		php_leveret_redis_add_string(words, Z_STR_P(found));
	}
	if ((found = option_of(options, "sort", "SORT")) && Z_TYPE_P(found) == IS_STRING) {
		php_leveret_redis_add_string(words, Z_STR_P(found));
	}
	if ((found = option_of(options, "store", "STORE")) && Z_TYPE_P(found) == IS_STRING) {
		php_leveret_redis_add_literal(words, "STORE");
		php_leveret_redis_add_string(words, Z_STR_P(found));
	}
	if ((found = option_of(options, "get", "GET")) && (Z_TYPE_P(found) == IS_STRING || Z_TYPE_P(found) == IS_ARRAY)
		&& !add_patterns(words, found)) {
		return false;
	}
	if ((found = option_of(options, "alpha", "ALPHA")) && zend_is_true(found)) {
		php_leveret_redis_add_literal(words, "ALPHA");
	}
	if ((found = option_of(options, "limit", "LIMIT")) && Z_TYPE_P(found) == IS_ARRAY) {
		zval *offset = zend_hash_index_find(Z_ARRVAL_P(found), 0), *count = zend_hash_index_find(Z_ARRVAL_P(found), 1);
		if (offset && count) {
			if (!is_text_or_number(offset) || !is_text_or_number(count)) {
				return redis_warn("LIMIT options on SORT command must be longs or strings");
			}
			php_leveret_redis_add_literal(words, "LIMIT");
			php_leveret_redis_add_long(words, zval_get_long(offset));
			php_leveret_redis_add_long(words, zval_get_long(count));
		}
	}
	return true;
}

/* sortAsc(), sortDescAlpha(): what their names say. */
REDIS_BUILDER(sort_by_name)
{
	zend_string *key, *by = NULL, *store = NULL;
	zval *get = NULL, *pattern;
	zend_long offset = -1, count = -1;
	REDIS_PARSE("S|S!z!llS!", &key, &by, &get, &offset, &count, &store);
	if (ZSTR_LEN(key) == 0) {
		return false;
	}
	redis_words *words = &call->words;
	php_leveret_redis_add_key(words, key);
	if (by && ZSTR_LEN(by)) {
		php_leveret_redis_add_literal(words, "BY");
		php_leveret_redis_add_string(words, by);
	}
	if (offset >= 0 && count >= 0) {
		php_leveret_redis_add_literal(words, "LIMIT");
		php_leveret_redis_add_long(words, offset);
		php_leveret_redis_add_long(words, count);
	}
	if (get && Z_TYPE_P(get) == IS_ARRAY) {
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(get), pattern) {
			php_leveret_redis_add_literal(words, "GET");
			php_leveret_redis_add_text(words, pattern);
		}
		ZEND_HASH_FOREACH_END();
	} else if (get) {
		php_leveret_redis_add_literal(words, "GET");
		php_leveret_redis_add_text(words, get);
	}
	if (strncmp(call->row->method, "sortDesc", strlen("sortDesc")) == 0) {
		php_leveret_redis_add_literal(words, "DESC");
	}
	if (strstr(call->row->method, "Alpha")) {
		php_leveret_redis_add_literal(words, "ALPHA");
	}
	if (store && ZSTR_LEN(store)) {
		php_leveret_redis_add_literal(words, "STORE");
		php_leveret_redis_add_key(words, store);
	}
	return true;
}
