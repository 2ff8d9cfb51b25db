/* redis/reply.c: what replies become: numbers, strings, lists and pairs. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

/* --- errors --- */

void php_leveret_redis_take_error(redis_object *self, const redis_node *reply)
{
	/* Those that methods answer with false; the others end a call that cannot go on: no password, no memory, a replica. */
	static const char *const quiet[] = { "NOSCRIPT", "NOQUORUM", "NOGOODSLAVE", "WRONGTYPE", "BUSYGROUP", "NOGROUP" };
	const char *text = ZSTR_VAL(reply->text);
	php_leveret_redis_set_error(self, zend_string_copy(reply->text));
	if (strncmp(text, "ERR", 3) == 0 && strncmp(text, "ERR AUTH", 8) != 0) {
		return;
	}
	for (size_t i = 0; i < sizeof(quiet) / sizeof(*quiet); i++) {
		if (strncmp(text, quiet[i], strlen(quiet[i])) == 0) {
			return;
		}
	}
	php_leveret_redis_throw(text);
}

static bool has_items(const redis_node *reply)
{
	return reply->kind == LEVERET_REDIS_ARRAY || reply->kind == LEVERET_REDIS_MAP || reply->kind == LEVERET_REDIS_SET
		|| reply->kind == LEVERET_REDIS_PUSH;
}

zend_string *php_leveret_redis_line(redis_object *self, const redis_node *reply)
{
	switch (reply->kind) {
		case LEVERET_REDIS_ERROR:
			php_leveret_redis_take_error(self, reply);
			return NULL;
		case LEVERET_REDIS_NIL:
		case LEVERET_REDIS_NIL_ARRAY:
			return NULL;
		case LEVERET_REDIS_INT:
		case LEVERET_REDIS_BOOL:
			return zend_strpprintf(0, ":" ZEND_LONG_FMT, (zend_long) reply->number);
		case LEVERET_REDIS_STATUS:
			return zend_string_concat2("+", 1, ZSTR_VAL(reply->text), ZSTR_LEN(reply->text));
		default:
			return reply->text ? zend_string_copy(reply->text) : zend_strpprintf(0, "*%u", reply->count);
	}
}

bool php_leveret_redis_is_list(redis_object *self, const redis_node *reply)
{
	if (reply->kind == LEVERET_REDIS_ERROR) {
		php_leveret_redis_set_error(self, zend_string_copy(reply->text));
		return false;
	}
	return has_items(reply) || reply->kind == LEVERET_REDIS_NIL_ARRAY;
}

/* --- one value --- */

REDIS_SHAPE(int)
{
	if (reply->kind == LEVERET_REDIS_INT) {
		ZVAL_LONG(value, (zend_long) reply->number);
		return;
	}
	if (reply->kind == LEVERET_REDIS_ERROR) {
		php_leveret_redis_take_error(self, reply);
	}
	ZVAL_FALSE(value);
}

REDIS_SHAPE(bool)
{
	if (reply->kind == LEVERET_REDIS_ERROR) {
		php_leveret_redis_take_error(self, reply);
	}
	ZVAL_BOOL(value,
		reply->kind == LEVERET_REDIS_STATUS
			|| (reply->kind == LEVERET_REDIS_BULK && ZSTR_LEN(reply->text) && *ZSTR_VAL(reply->text) == '+'));
}

REDIS_SHAPE(select)
{
	php_leveret_redis_bool(self, reply, context, value);
}

REDIS_SHAPE(one)
{
	zend_string *line = php_leveret_redis_line(self, reply);
	ZVAL_BOOL(value, line && ZSTR_LEN(line) > 1 && ZSTR_VAL(line)[1] == '1');
	if (line) {
		zend_string_release(line);
	}
}

/* Takes `data` over; NULL is false. */
static void give(redis_object *self, zend_string *data, bool unpack, zval *value)
{
	if (!data) {
		ZVAL_FALSE(value);
	} else if (unpack && php_leveret_redis_unpack(self, data, value)) {
		zend_string_release(data);
	} else {
		ZVAL_STR(value, data);
	}
}

REDIS_SHAPE(string)
{
	if (EXPECTED(reply->kind == LEVERET_REDIS_BULK && self->serializer == REDIS_SERIALIZER_NONE
			&& self->compression == REDIS_COMPRESSION_NONE)) {
		ZVAL_STR_COPY(value, reply->text);
		return;
	}
	give(self, php_leveret_redis_line(self, reply), true, value);
}

REDIS_SHAPE(raw)
{
	give(self, php_leveret_redis_line(self, reply), false, value);
}

REDIS_SHAPE(meta)
{
	zval found, about;
	zend_string *line = php_leveret_redis_line(self, reply);
	zend_long len = line ? (zend_long) ZSTR_LEN(line) : -1;
	/* The original tells the length of an error as 0. */
	len = line || reply->kind == LEVERET_REDIS_NIL ? len : 0;
	give(self, line, true, &found);
	array_init_size(value, 2);
	add_next_index_zval(value, &found);
	array_init_size(&about, 1);
	add_assoc_long(&about, "length", len);
	add_next_index_zval(value, &about);
}

REDIS_SHAPE(double)
{
	zend_string *line = php_leveret_redis_line(self, reply);
	if (!line) {
		ZVAL_FALSE(value);
		return;
	}
	ZVAL_DOUBLE(value, atof(ZSTR_VAL(line)));
	zend_string_release(line);
}

REDIS_SHAPE(type)
{
	static const char *const types[] = { NULL, "+string", "+set", "+list", "+zset", "+hash", "+stream" };
	zend_string *line = php_leveret_redis_line(self, reply);
	if (!line) {
		ZVAL_FALSE(value);
		return;
	}
	ZVAL_LONG(value, 0);
	for (int i = 1; i < (int) (sizeof(types) / sizeof(*types)); i++) {
		if (strncmp(ZSTR_VAL(line), types[i], strlen(types[i])) == 0) {
			ZVAL_LONG(value, i);
			break;
		}
	}
	zend_string_release(line);
}

static void give_nil(const redis_object *self, zval *value)
{
	if (self->nil_is_null) {
		ZVAL_NULL(value);
	} else {
		ZVAL_FALSE(value);
	}
}

REDIS_SHAPE(position)
{
	if (reply->kind == LEVERET_REDIS_INT) {
		ZVAL_LONG(value, (zend_long) reply->number);
	} else if (reply->kind == LEVERET_REDIS_NIL) {
		give_nil(self, value);
	} else {
		ZVAL_FALSE(value);
	}
}

REDIS_SHAPE(positions)
{
	if (!has_items(reply) && reply->kind != LEVERET_REDIS_NIL_ARRAY) {
		ZVAL_FALSE(value);
		return;
	}
	array_init_size(value, reply->count);
	for (uint32_t i = 0; i < reply->count; i++) {
		add_next_index_long(value, (zend_long) reply->items[i].number);
	}
}

/* --- lists --- */

void php_leveret_redis_add_lines(redis_object *self, const redis_node *reply, int unpack, zval *list)
{
	for (uint32_t i = 0; i < reply->count; i++) {
		zval element;
		bool is_value = unpack == REDIS_UNPACK_ALL || (unpack == REDIS_UNPACK_KEYS && i % 2 == 0)
			|| (unpack == REDIS_UNPACK_VALUES && i % 2 != 0);
		give(self, php_leveret_redis_line(self, &reply->items[i]), is_value, &element);
		zend_hash_next_index_insert(Z_ARRVAL_P(list), &element);
	}
}

static void list(redis_object *self, const redis_node *reply, int unpack, zval *value)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
	} else if (reply->count == 0) {
		ZVAL_EMPTY_ARRAY(value);
	} else {
		array_init_size(value, reply->count);
		php_leveret_redis_add_lines(self, reply, unpack, value);
	}
}

REDIS_SHAPE(list)
{
	if (reply->kind == LEVERET_REDIS_NIL_ARRAY && self->nil_is_null) {
		ZVAL_NULL(value);
	} else {
		list(self, reply, REDIS_UNPACK_ALL, value);
	}
}

REDIS_SHAPE(list_raw)
{
	list(self, reply, REDIS_UNPACK_NONE, value);
}

REDIS_SHAPE(list_double)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
		return;
	}
	array_init_size(value, reply->count);
	for (uint32_t i = 0; i < reply->count; i++) {
		zval element;
		php_leveret_redis_double(self, &reply->items[i], NULL, &element);
		zend_hash_next_index_insert(Z_ARRVAL_P(value), &element);
	}
}

/* [a, b, c, d] becomes [a => b, c => d]; a key that has been unpacked to anything but a string is taken as text. */
void php_leveret_redis_zip(zval *list, int scores)
{
	zval pairs;
	HashTable *flat = Z_ARRVAL_P(list);
	uint32_t count = zend_hash_num_elements(flat);
	array_init_size(&pairs, count / 2);
	for (uint32_t i = 0; i + 1 < count; i += 2) {
		zval *key = zend_hash_index_find(flat, i), *found = zend_hash_index_find(flat, i + 1), element;
		zend_string *name = zval_get_string(key);
		if (scores == REDIS_SCORES_NONE) {
			ZVAL_COPY(&element, found);
		} else {
			const char *text = Z_TYPE_P(found) == IS_STRING ? Z_STRVAL_P(found) : "";
			if (scores == REDIS_SCORES_INT) {
				ZVAL_LONG(&element, atoi(text + (*text == ':')));
			} else {
				ZVAL_DOUBLE(&element, atof(text));
			}
		}
		zend_symtable_update(Z_ARRVAL(pairs), name, &element);
		zend_string_release(name);
	}
	zval_ptr_dtor(list);
	ZVAL_COPY_VALUE(list, &pairs);
}

static void pairs(redis_object *self, const redis_node *reply, int unpack, int scores, zval *value)
{
	list(self, reply, unpack, value);
	if (Z_TYPE_P(value) == IS_ARRAY && reply->count > 0) {
		php_leveret_redis_zip(value, scores);
	}
}

REDIS_SHAPE(pairs)
{
	pairs(self, reply, REDIS_UNPACK_NONE, REDIS_SCORES_NONE, value);
}

REDIS_SHAPE(pairs_values)
{
	pairs(self, reply, REDIS_UNPACK_VALUES, REDIS_SCORES_NONE, value);
}

REDIS_SHAPE(pairs_scores)
{
	pairs(self, reply, REDIS_UNPACK_KEYS, REDIS_SCORES_DOUBLE, value);
}

REDIS_SHAPE(pairs_counts)
{
	pairs(self, reply, REDIS_UNPACK_KEYS, REDIS_SCORES_INT, value);
}

REDIS_SHAPE(fields)
{
	HashTable *fields = context;
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
		return;
	}
	uint32_t i = 0;
	zval *field;
	array_init_size(value, reply->count);
	ZEND_HASH_FOREACH_VAL(fields, field) {
		zval element;
		if (i == reply->count) {
			break;
		}
		php_leveret_redis_string(self, &reply->items[i++], NULL, &element);
		zend_string *name = zval_get_string(field);
		zend_symtable_update(Z_ARRVAL_P(value), name, &element);
		zend_string_release(name);
	}
	ZEND_HASH_FOREACH_END();
}

/* --- anything --- */

static void any(
	redis_object *self, const redis_node *reply, bool is_literal, bool nil_is_null, uint32_t depth, zval *value)
{
	switch (reply->kind) {
		case LEVERET_REDIS_ERROR:
			php_leveret_redis_take_error(self, reply);
			ZVAL_FALSE(value);
			break;
		case LEVERET_REDIS_STATUS:
			if (is_literal) {
				ZVAL_STR_COPY(value, reply->text);
			} else {
				ZVAL_TRUE(value);
			}
			break;
		case LEVERET_REDIS_INT:
			ZVAL_LONG(value, (zend_long) reply->number);
			break;
		case LEVERET_REDIS_BOOL:
			ZVAL_BOOL(value, reply->number != 0);
			break;
		case LEVERET_REDIS_NIL:
			ZVAL_FALSE(value);
			break;
		case LEVERET_REDIS_NIL_ARRAY:
			if (nil_is_null) {
				ZVAL_NULL(value);
			} else {
				array_init(value);
			}
			break;
		default:
			if (reply->text) {
				ZVAL_STR_COPY(value, reply->text);
				break;
			}
			array_init_size(value, reply->count);
			for (uint32_t i = 0; i < reply->count; i++) {
				zval element;
				/* Inside a reply the object's option decides, for every caller. */
				any(self, &reply->items[i], is_literal, self->nil_is_null, depth + 1, &element);
				zend_hash_next_index_insert(Z_ARRVAL_P(value), &element);
			}
			break;
	}
}

REDIS_SHAPE(any)
{
	any(self, reply, false, self->nil_is_null, 0, value);
}

REDIS_SHAPE(any_literal)
{
	any(self, reply, self->is_literal, self->nil_is_null, 0, value);
}

REDIS_SHAPE(any_strings)
{
	any(self, reply, true, false, 0, value);
}
