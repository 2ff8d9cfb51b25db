/* redis/build_streams.c: builders of commands on streams and places. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "builders.h"

static void add_numbered(redis_words *words, const char *name, zend_long number)
{
	php_leveret_redis_add_literal(words, name);
	php_leveret_redis_add_long(words, number);
}

static void add_listed(redis_words *words, HashTable *list)
{
	zval *value;
	ZEND_HASH_FOREACH_VAL(list, value) {
		php_leveret_redis_add_text(words, value);
	}
	ZEND_HASH_FOREACH_END();
}

/* --- streams --- */

REDIS_BUILDER(xadd)
{
	zend_string *key, *id, *name;
	HashTable *fields;
	zend_ulong index;
	zval *value;
	zend_long most = 0;
	bool is_near = false, makes_none = false;
	REDIS_PARSE("SSh|lbb", &key, &id, &fields, &most, &is_near, &makes_none);
	if (zend_hash_num_elements(fields) == 0) {
		return false;
	}
	if (most < 0 || (most == 0 && is_near)) {
		redis_warn("Warning:  Invalid MAXLEN argument or approximate flag");
	}
	redis_words *words = &call->words;
	php_leveret_redis_add_key(words, key);
	if (makes_none) {
		php_leveret_redis_add_literal(words, "NOMKSTREAM");
	}
	if (most > 0) {
		php_leveret_redis_add_literal(words, "MAXLEN");
		if (is_near) {
			php_leveret_redis_add_literal(words, "~");
		}
		php_leveret_redis_add_long(words, most);
	}
	php_leveret_redis_add_string(words, id);
	ZEND_HASH_FOREACH_KEY_VAL(fields, index, name, value) {
		if (name) {
			php_leveret_redis_add_string(words, name);
		} else {
			php_leveret_redis_add_long(words, (zend_long) index);
		}
		php_leveret_redis_add_value(words, value);
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

REDIS_BUILDER(xpending)
{
	zend_string *key, *group, *from = NULL, *to = NULL, *consumer = NULL;
	zend_long count = -1, idle = 0;
	REDIS_PARSE("SS|S!S!lS!l", &key, &group, &from, &to, &count, &consumer, &idle);
	if (from && (!to || count < 0)) {
		return redis_warn("'$start' must be accompanied by '$end' and '$count' arguments");
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_string(&call->words, group);
	if (from) {
		if (idle) {
			add_numbered(&call->words, "IDLE", idle);
		}
		php_leveret_redis_add_string(&call->words, from);
		php_leveret_redis_add_string(&call->words, to);
		php_leveret_redis_add_long(&call->words, count);
		if (consumer) {
			php_leveret_redis_add_string(&call->words, consumer);
		}
	}
	return true;
}

REDIS_BUILDER(xrange)
{
	zend_string *key, *from, *to;
	zend_long count = -1;
	REDIS_PARSE("SSS|l", &key, &from, &to, &count);
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_string(&call->words, from);
	php_leveret_redis_add_string(&call->words, to);
	if (count > -1) {
		add_numbered(&call->words, "COUNT", count);
	}
	return true;
}

/* The names of the streams, then their ids. */
static void add_streams(redis_words *words, HashTable *streams)
{
	zend_string *name;
	zend_ulong index;
	php_leveret_redis_add_literal(words, "STREAMS");
	ZEND_HASH_FOREACH_KEY(streams, index, name) {
		zend_string *key = name ? zend_string_copy(name) : zend_long_to_str((zend_long) index);
		php_leveret_redis_add_key(words, key);
		zend_string_release(key);
	}
	ZEND_HASH_FOREACH_END();
	add_listed(words, streams);
}

REDIS_BUILDER(xread)
{
	HashTable *streams;
	zend_long count = -1, block = -1;
	REDIS_PARSE("h|ll", &streams, &count, &block);
	if (zend_hash_num_elements(streams) == 0) {
		return false;
	}
	if (count > -1) {
		add_numbered(&call->words, "COUNT", count);
	}
	if (block > -1) {
		add_numbered(&call->words, "BLOCK", block);
	}
	add_streams(&call->words, streams);
	return true;
}

REDIS_BUILDER(xreadgroup)
{
	zend_string *group, *consumer;
	HashTable *streams;
	zend_long count = 0, block = 0;
	bool no_count = true, no_block = true;
	REDIS_PARSE("SSh|l!l!", &group, &consumer, &streams, &count, &no_count, &block, &no_block);
	if ((!no_count && count < 0) || (!no_block && block < 0)) {
		return redis_warn("Negative values for COUNT or BLOCK are illegal.");
	}
	if (zend_hash_num_elements(streams) == 0) {
		return false;
	}
	php_leveret_redis_add_literal(&call->words, "GROUP");
	php_leveret_redis_add_string(&call->words, group);
	php_leveret_redis_add_string(&call->words, consumer);
	if (!no_count) {
		add_numbered(&call->words, "COUNT", count);
	}
	if (!no_block) {
		add_numbered(&call->words, "BLOCK", block);
	}
	add_streams(&call->words, streams);
	return true;
}

REDIS_BUILDER(xautoclaim)
{
	zend_string *key, *group, *consumer, *from;
	zend_long idle, count = -1;
	bool only_ids = false;
	REDIS_PARSE("SSSlS|lb", &key, &group, &consumer, &idle, &from, &count, &only_ids);
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_string(&call->words, group);
	php_leveret_redis_add_string(&call->words, consumer);
	php_leveret_redis_add_long(&call->words, idle);
	php_leveret_redis_add_string(&call->words, from);
	if (count > 0) {
		add_numbered(&call->words, "COUNT", count);
	}
	if (only_ids) {
		php_leveret_redis_add_literal(&call->words, "JUSTID");
	}
	return true;
}

/* -1, with a warning: it is none. */
static zend_long claim_time(const char *name, const zval *value)
{
	zend_long number = -1;
	double real;
	int type = Z_TYPE_P(value);
	if (type == IS_STRING) {
		type = is_numeric_string(Z_STRVAL_P(value), Z_STRLEN_P(value), &number, &real, true);
		number = type == IS_DOUBLE ? zend_dval_to_lval(real) : type == IS_LONG ? number : -1;
	} else if (type == IS_LONG || type == IS_DOUBLE) {
		number = zval_get_long((zval *) value);
	}
	if (number < 0) {
		php_error_docref(NULL, E_WARNING, "Invalid XCLAIM option '%s' will be ignored", name);
	}
	return number;
}

REDIS_BUILDER(xclaim)
{
	zend_string *key, *group, *consumer, *name;
	HashTable *ids, *options = NULL;
	zval *option;
	zend_long idle, time = -1, retries = -1;
	const char *time_name = NULL;
	bool forces = false, only_ids = false;
	REDIS_PARSE("SSSlh|h", &key, &group, &consumer, &idle, &ids, &options);
	if (zend_hash_num_elements(ids) == 0) {
		return false;
	}
	if (options) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, option) {
			if (name && (redis_is(name, "TIME") || redis_is(name, "IDLE"))) {
				time_name = redis_is(name, "TIME") ? "TIME" : "IDLE";
				time = claim_time(time_name, option);
			} else if (name && redis_is(name, "RETRYCOUNT")) {
				retries = zval_get_long(option);
			} else if (!name && Z_TYPE_P(option) == IS_STRING) {
				forces |= redis_is(Z_STR_P(option), "FORCE");
				only_ids |= redis_is(Z_STR_P(option), "JUSTID");
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	redis_words *words = &call->words;
	php_leveret_redis_add_key(words, key);
	php_leveret_redis_add_string(words, group);
	php_leveret_redis_add_string(words, consumer);
	php_leveret_redis_add_long(words, idle);
	add_listed(words, ids);
	if (time_name && time >= 0) {
		add_numbered(words, time_name, time);
	}
	if (retries != -1) {
		add_numbered(words, "RETRYCOUNT", retries);
	}
	if (forces) {
		php_leveret_redis_add_literal(words, "FORCE");
	}
	if (only_ids) {
		php_leveret_redis_add_literal(words, "JUSTID");
	}
	return true;
}

REDIS_BUILDER(xgroup)
{
	zend_string *word, *key = NULL, *group = NULL, *id = NULL;
	bool makes = false, creates = false, sets = false;
	zend_long entries = -2;
	uint32_t count;
	REDIS_PARSE("S|S!S!S!bl", &word, &key, &group, &id, &makes, &entries);
	creates = redis_is(word, "CREATE");
	sets = redis_is(word, "SETID");
	if (redis_is(word, "HELP")) {
		count = 0;
	} else if (creates || sets || redis_is(word, "CREATECONSUMER") || redis_is(word, "DELCONSUMER")) {
		count = 3;
	} else if (redis_is(word, "DESTROY")) {
		count = 2;
	} else {
		php_error_docref(NULL, E_WARNING, "Unknown XGROUP operation '%s'", ZSTR_VAL(word));
		return false;
	}
	if (ZEND_NUM_ARGS() < count) {
		php_error_docref(NULL, E_WARNING, "Operation '%s' requires %u arguments", ZSTR_VAL(word), count);
		return false;
	}
	redis_words *words = &call->words;
	zend_string *const given[] = { key, group, id };
	php_leveret_redis_add_string(words, word);
	for (uint32_t i = 0; i < count; i++) {
		zend_string *text = given[i] ? given[i] : ZSTR_EMPTY_ALLOC();
		if (i == 0) {
			php_leveret_redis_add_key(words, text);
		} else {
			php_leveret_redis_add_string(words, text);
		}
	}
	if (makes && creates) {
		php_leveret_redis_add_literal(words, "MKSTREAM");
	}
	if ((creates || sets) && entries != -2) {
		add_numbered(words, "ENTRIESREAD", entries);
	}
	return true;
}

REDIS_BUILDER(xinfo)
{
	zend_string *word, *key = NULL, *argument = NULL;
	zend_long count = -1;
	REDIS_PARSE("S|S!S!l", &word, &key, &argument, &count);
	if ((argument && !key) || (count != -1 && (!key || !argument))) {
		return redis_warn("Cannot pass a non-null optional argument after a NULL one.");
	}
	php_leveret_redis_add_string(&call->words, word);
	if (key) {
		php_leveret_redis_add_key(&call->words, key);
	}
	if (argument) {
		php_leveret_redis_add_string(&call->words, argument);
	}
	if (count > -1) {
		add_numbered(&call->words, "COUNT", count);
	}
	return true;
}

REDIS_BUILDER(xtrim)
{
	zend_string *key, *threshold;
	bool is_near = false, by_id = false;
	zend_long limit = -1;
	REDIS_PARSE("SS|bbl", &key, &threshold, &is_near, &by_id, &limit);
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_literal(&call->words, by_id ? "MINID" : "MAXLEN");
	php_leveret_redis_add_literal(&call->words, is_near ? "~" : "=");
	php_leveret_redis_add_string(&call->words, threshold);
	if (limit > -1 && is_near) {
		add_numbered(&call->words, "LIMIT", limit);
	} else if (limit > -1) {
		redis_warn("Cannot use LIMIT without an approximate match, ignoring");
	} else if (ZEND_NUM_ARGS() == 5) {
		redis_warn("Limit must be >= 0");
	}
	return true;
}

/* --- places --- */

typedef struct geo_options {
	bool with[3], any;
	zend_long count;
	const char *order, *store; /* STORE, STOREDIST */
	zval *store_key;
} geo_options;

static const char *const geo_with[3] = { "WITHCOORD", "WITHDIST", "WITHHASH" };

static bool take_geo_count(zval *value, geo_options *found)
{
	zval *count = value;
	if (Z_TYPE_P(value) == IS_ARRAY) {
		zval *any = zend_hash_index_find(Z_ARRVAL_P(value), 1);
		count = zend_hash_index_find(Z_ARRVAL_P(value), 0);
		found->any = any && zend_is_true(any);
		if (!count) {
			return true;
		}
	}
	if (Z_TYPE_P(count) != IS_LONG || Z_LVAL_P(count) <= 0) {
		return redis_warn("Invalid COUNT value");
	}
	found->count = Z_LVAL_P(count);
	return true;
}

static bool take_geo_options(HashTable *options, geo_options *found)
{
	zend_string *name;
	zval *value;
	memset(found, 0, sizeof(*found));
	if (!options) {
		return true;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, value) {
		ZVAL_DEREF(value);
		if (name && redis_is(name, "COUNT")) {
			if (!take_geo_count(value, found)) {
				return false;
			}
		} else if (name && !found->store && (redis_is(name, "STORE") || redis_is(name, "STOREDIST"))) {
			found->store = redis_is(name, "STORE") ? "STORE" : "STOREDIST";
			found->store_key = value;
		} else if (Z_TYPE_P(value) == IS_STRING) {
			const zend_string *word = Z_STR_P(value);
			for (int i = 0; i < 3; i++) {
				found->with[i] |= redis_is(word, geo_with[i]);
			}
			if (redis_is(word, "ASC")) {
				found->order = "ASC";
			} else if (redis_is(word, "DESC")) {
				found->order = "DESC";
			} else if (redis_is(word, "STOREDIST")) {
				found->store = "STOREDIST";
			}
		}
	}
	ZEND_HASH_FOREACH_END();
	if (found->store_key && (found->with[0] || found->with[1] || found->with[2])) {
		return redis_warn("STORE[DIST] is not compatible with WITHCOORD, WITHDIST or WITHHASH");
	}
	return true;
}

static bool add_geo_options(redis_words *words, const geo_options *found)
{
	bool has_more = false;
	for (int i = 0; i < 3; i++) {
		if (found->with[i]) {
			php_leveret_redis_add_literal(words, geo_with[i]);
			has_more = true;
		}
	}
	if (found->order) {
		php_leveret_redis_add_literal(words, found->order);
	}
	if (found->count) {
		add_numbered(words, "COUNT", found->count);
		if (found->any) {
			php_leveret_redis_add_literal(words, "ANY");
		}
	}
	return has_more;
}

static void add_geo_store(redis_words *words, const geo_options *found)
{
	if (found->store && found->store_key) {
		php_leveret_redis_add_literal(words, found->store);
		php_leveret_redis_add_key_of(words, found->store_key);
	}
}

REDIS_BUILDER(geoadd)
{
	uint32_t count = ZEND_NUM_ARGS();
	zval *arguments = ZEND_CALL_ARG(execute_data, 1), *option;
	const zend_string *mode = NULL;
	bool changed = false;
	if (count < 4 || count % 3 == 0) {
		zend_wrong_param_count();
		return false;
	}
	if (count % 3 == 2) {
		count--;
		if (Z_TYPE(arguments[count]) != IS_ARRAY) {
			return redis_warn("Invalid options value");
		}
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL(arguments[count]), option) {
			if (Z_TYPE_P(option) == IS_STRING) {
				if (redis_is(Z_STR_P(option), "NX") || redis_is(Z_STR_P(option), "XX")) {
					mode = Z_STR_P(option);
				}
				changed |= redis_is(Z_STR_P(option), "CH");
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	php_leveret_redis_add_key_of(&call->words, &arguments[0]);
	if (mode) {
		php_leveret_redis_add_string(&call->words, (zend_string *) mode);
	}
	if (changed) {
		php_leveret_redis_add_literal(&call->words, "CH");
	}
	for (uint32_t i = 1; i < count; i++) {
		php_leveret_redis_add_value(&call->words, &arguments[i]);
	}
	return true;
}

REDIS_BUILDER(georadius)
{
	zend_string *key, *unit;
	double longitude, latitude, radius;
	HashTable *options = NULL;
	geo_options found;
	REDIS_PARSE("SdddS|h!", &key, &longitude, &latitude, &radius, &unit, &options);
	if (!take_geo_options(options, &found)) {
		return false;
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_double(&call->words, longitude);
	php_leveret_redis_add_double(&call->words, latitude);
	php_leveret_redis_add_double(&call->words, radius);
	php_leveret_redis_add_string(&call->words, unit);
	add_geo_options(&call->words, &found);
	add_geo_store(&call->words, &found);
	return true;
}

REDIS_BUILDER(georadiusbymember)
{
	zend_string *key, *member, *unit;
	double radius;
	HashTable *options = NULL;
	geo_options found;
	REDIS_PARSE("SSdS|h", &key, &member, &radius, &unit, &options);
	if (!take_geo_options(options, &found)) {
		return false;
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_string(&call->words, member);
	php_leveret_redis_add_long(&call->words, (zend_long) radius);
	php_leveret_redis_add_string(&call->words, unit);
	add_geo_options(&call->words, &found);
	add_geo_store(&call->words, &found);
	return true;
}

/* From where, and how far. */
static bool add_geo_area(redis_words *words, zval *from, zval *shape, zend_string *unit)
{
	zval *number;
	bool is_member = Z_TYPE_P(from) == IS_STRING && Z_STRLEN_P(from) > 0;
	if (!is_member && (Z_TYPE_P(from) != IS_ARRAY || zend_hash_num_elements(Z_ARRVAL_P(from)) != 2)) {
		return redis_warn("Invalid position");
	}
	if (Z_TYPE_P(shape) != IS_LONG && Z_TYPE_P(shape) != IS_DOUBLE && Z_TYPE_P(shape) != IS_ARRAY) {
		return redis_warn("Invalid shape dimensions");
	}
	php_leveret_redis_add_literal(words, is_member ? "FROMMEMBER" : "FROMLONLAT");
	if (is_member) {
		php_leveret_redis_add_string(words, Z_STR_P(from));
	} else {
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(from), number) {
			php_leveret_redis_add_double(words, zval_get_double(number));
		}
		ZEND_HASH_FOREACH_END();
	}
	php_leveret_redis_add_literal(words, Z_TYPE_P(shape) == IS_ARRAY ? "BYBOX" : "BYRADIUS");
	if (Z_TYPE_P(shape) == IS_ARRAY) {
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(shape), number) {
			php_leveret_redis_add_double(words, zval_get_double(number));
		}
		ZEND_HASH_FOREACH_END();
	} else {
		php_leveret_redis_add_double(words, zval_get_double(shape));
	}
	php_leveret_redis_add_string(words, unit);
	return true;
}

REDIS_BUILDER(geosearch)
{
	zend_string *key, *unit;
	zval *from, *shape;
	HashTable *options = NULL;
	geo_options found;
	REDIS_PARSE("SzzS|h", &key, &from, &shape, &unit, &options);
	php_leveret_redis_add_key(&call->words, key);
	if (!take_geo_options(options, &found) || !add_geo_area(&call->words, from, shape, unit)) {
		return false;
	}
	if (add_geo_options(&call->words, &found)) {
		call->shape = php_leveret_redis_places_more;
	}
	return true;
}

REDIS_BUILDER(geosearchstore)
{
	zend_string *to, *key, *unit;
	zval *from, *shape;
	HashTable *options = NULL;
	geo_options found;
	REDIS_PARSE("SSzzS|h", &to, &key, &from, &shape, &unit, &options);
	php_leveret_redis_add_key(&call->words, to);
	php_leveret_redis_add_key(&call->words, key);
	if (!take_geo_options(options, &found) || !add_geo_area(&call->words, from, shape, unit)) {
		return false;
	}
	add_geo_options(&call->words, &found);
	if (found.store) {
		php_leveret_redis_add_literal(&call->words, "STOREDIST");
	}
	return true;
}
