/* redis/build_lists.c: builders of commands on lists and sets. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "builders.h"

REDIS_BUILDER(pop)
{
	zend_string *key;
	zend_long count = 0;
	REDIS_PARSE("S|l", &key, &count);
	php_leveret_redis_add_key(&call->words, key);
	if (count > 0) {
		php_leveret_redis_add_long(&call->words, count);
		call->shape = php_leveret_redis_list;
	}
	return true;
}

REDIS_BUILDER(spop)
{
	zend_string *key;
	zend_long count = 0;
	REDIS_PARSE("S|l", &key, &count);
	php_leveret_redis_add_key(&call->words, key);
	if (ZEND_NUM_ARGS() == 2) {
		php_leveret_redis_add_long(&call->words, count);
		call->shape = php_leveret_redis_list;
	}
	return true;
}

REDIS_BUILDER(srandmember)
{
	return php_leveret_redis_build_spop(INTERNAL_FUNCTION_PARAM_PASSTHRU, call);
}

REDIS_BUILDER(zpop)
{
	zend_string *key;
	zend_long count = 0;
	REDIS_PARSE("S|l", &key, &count);
	php_leveret_redis_add_key(&call->words, key);
	if (ZEND_NUM_ARGS() == 2) {
		php_leveret_redis_add_long(&call->words, count);
	}
	return true;
}

static bool is_side(const zend_string *word)
{
	return redis_is(word, "LEFT") || redis_is(word, "RIGHT");
}

REDIS_BUILDER(lmove)
{
	zend_string *from, *to, *from_side, *to_side;
	double timeout = 0;
	bool waits = *call->row->command == 'B';
	REDIS_PARSE(waits ? "SSSSd" : "SSSS", &from, &to, &from_side, &to_side, &timeout);
	if (!is_side(from_side)) {
		return redis_warn("Wherefrom argument must be 'LEFT' or 'RIGHT'");
	}
	if (!is_side(to_side)) {
		return redis_warn("Whereto argument must be 'LEFT' or 'RIGHT'");
	}
	php_leveret_redis_add_key(&call->words, from);
	php_leveret_redis_add_key(&call->words, to);
	php_leveret_redis_add_string(&call->words, from_side);
	php_leveret_redis_add_string(&call->words, to_side);
	if (waits) {
		php_leveret_redis_add_double(&call->words, timeout);
	}
	return true;
}

REDIS_BUILDER(brpoplpush)
{
	zend_string *from, *to;
	double timeout;
	REDIS_PARSE("SSd", &from, &to, &timeout);
	if (timeout < 0) {
		call->words.list[0] = php_leveret_bytes("RPOPLPUSH", strlen("RPOPLPUSH"));
	}
	php_leveret_redis_add_key(&call->words, from);
	php_leveret_redis_add_key(&call->words, to);
	if (timeout >= 0 && timeout - (double) (zend_long) timeout < .0001) {
		php_leveret_redis_add_long(&call->words, (zend_long) timeout);
	} else if (timeout >= 0) {
		php_leveret_redis_add_double(&call->words, timeout);
	}
	return true;
}

REDIS_BUILDER(linsert)
{
	zend_string *key, *place;
	zval *pivot, *value;
	REDIS_PARSE("SSzz", &key, &place, &pivot, &value);
	if (!redis_is(place, "after") && !redis_is(place, "before")) {
		return redis_warn("Position must be either 'BEFORE' or 'AFTER'");
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_string(&call->words, place);
	php_leveret_redis_add_value(&call->words, pivot);
	php_leveret_redis_add_value(&call->words, value);
	return true;
}

REDIS_BUILDER(lrem)
{
	zend_string *key;
	zval *value;
	zend_long count = 0;
	REDIS_PARSE("Sz|l", &key, &value, &count);
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_long(&call->words, (int32_t) count);
	php_leveret_redis_add_value(&call->words, value);
	return true;
}

REDIS_BUILDER(lpos)
{
	zend_string *key, *name;
	zval *value, *option;
	HashTable *options = NULL;
	zend_long rank = 0, count = -1, most = -1;
	bool has_rank = false;
	REDIS_PARSE("Sz|h", &key, &value, &options);
	if (options) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, option) {
			if (name && redis_is(name, "count")) {
				count = zval_get_long(option);
			} else if (name && redis_is(name, "maxlen")) {
				most = zval_get_long(option);
			} else if (name && redis_is(name, "rank")) {
				rank = zval_get_long(option);
				has_rank = true;
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_value(&call->words, value);
	if (has_rank) {
		php_leveret_redis_add_literal(&call->words, "RANK");
		php_leveret_redis_add_long(&call->words, rank);
	}
	if (count >= 0) {
		php_leveret_redis_add_literal(&call->words, "COUNT");
		php_leveret_redis_add_long(&call->words, count);
		call->shape = php_leveret_redis_positions;
	}
	if (most >= 0) {
		php_leveret_redis_add_literal(&call->words, "MAXLEN");
		php_leveret_redis_add_long(&call->words, most);
	}
	return true;
}
