/* redis/reply_special.c: what replies of a few commands become: INFO, CLIENT, ACL, FUNCTION, pops, geo and streams. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

/* --- text that is a table --- */

/* "name:value" and "name=value": numbers become numbers. */
static void add_named(zval *table, const char *at, size_t len, char separator)
{
	const char *found = memchr(at, separator, len);
	if (!found) {
		add_next_index_stringl(table, at, len);
		return;
	}
	zend_long number;
	double real;
	size_t name_len = (size_t) (found - at), value_len = len - name_len - 1;
	/* A copy that ends: is_numeric_string() looks at what follows. */
	zend_string *text = zend_string_init(found + 1, value_len, 0);
	switch (is_numeric_string(ZSTR_VAL(text), ZSTR_LEN(text), &number, &real, false)) {
		case IS_LONG:
			add_assoc_long_ex(table, at, name_len, number);
			break;
		case IS_DOUBLE:
			add_assoc_double_ex(table, at, name_len, real);
			break;
		default:
			add_assoc_str_ex(table, at, name_len, zend_string_copy(text));
			break;
	}
	zend_string_release(text);
}

/* The words of a text, each as add_named; false without one. */
static void table_of(const char *at, size_t len, const char *ends, char separator, bool has_titles, zval *table)
{
	const char *end = at + len;
	ZVAL_FALSE(table);
	while (at < end) {
		size_t gap = strspn(at, ends);
		at += MIN(gap, (size_t) (end - at));
		size_t word = MIN(strcspn(at, ends), (size_t) (end - at));
		if (!word) {
			break;
		}
		if (Z_TYPE_P(table) != IS_ARRAY) {
			array_init(table);
		}
		if (!has_titles || *at != '#') {
			add_named(table, at, word, separator);
		}
		at += word;
	}
}

REDIS_SHAPE(info)
{
	zend_string *line = php_leveret_redis_line(self, reply);
	ZVAL_FALSE(value);
	if (line) {
		table_of(ZSTR_VAL(line), ZSTR_LEN(line), "\r\n", ':', true, value);
		zend_string_release(line);
	}
}

REDIS_SHAPE(client_info)
{
	zend_string *line = php_leveret_redis_line(self, reply);
	ZVAL_FALSE(value);
	if (line) {
		table_of(ZSTR_VAL(line), ZSTR_LEN(line), " ", '=', false, value);
		zend_string_release(line);
	}
}

REDIS_SHAPE(client_list)
{
	zend_string *text = php_leveret_redis_line(self, reply);
	ZVAL_FALSE(value);
	if (!text) {
		return;
	}
	array_init(value);
	const char *at = ZSTR_VAL(text), *end = at + ZSTR_LEN(text);
	while (at < end) {
		size_t len = strcspn(at, "\r\n");
		if (len) {
			zval client;
			char *line = estrndup(at, len);
			table_of(line, len, " ", '=', false, &client);
			add_next_index_zval(value, &client);
			efree(line);
		}
		at += len + 1;
	}
	zend_string_release(text);
}

/* --- trees --- */

REDIS_SHAPE(tree)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
	} else {
		php_leveret_redis_any(self, reply, NULL, value);
		if (Z_TYPE_P(value) == IS_NULL) {
			array_init(value);
		}
	}
}

REDIS_SHAPE(tracking)
{
	php_leveret_redis_tree(self, reply, context, value);
	if (Z_TYPE_P(value) == IS_ARRAY) {
		php_leveret_redis_zip(value, REDIS_SCORES_NONE);
	}
}

/* A string is the name of what follows, at each level. */
static void zip_tree(zval *tree)
{
	zval pairs, *element;
	HashTable *flat = Z_ARRVAL_P(tree);
	uint32_t count = zend_hash_num_elements(flat);
	array_init(&pairs);
	for (uint32_t i = 0; i < count; i++) {
		zend_string *name = NULL;
		element = zend_hash_index_find(flat, i);
		if (Z_TYPE_P(element) == IS_STRING && i + 1 < count) {
			name = Z_STR_P(element);
			element = zend_hash_index_find(flat, ++i);
		}
		if (Z_TYPE_P(element) == IS_ARRAY) {
			SEPARATE_ARRAY(element);
			zip_tree(element);
		}
		Z_TRY_ADDREF_P(element);
		if (name) {
			zend_symtable_update(Z_ARRVAL(pairs), name, element);
		} else {
			zend_hash_next_index_insert(Z_ARRVAL(pairs), element);
		}
	}
	zval_ptr_dtor(tree);
	ZVAL_COPY_VALUE(tree, &pairs);
}

REDIS_SHAPE(functions)
{
	php_leveret_redis_tree(self, reply, context, value);
	if (Z_TYPE_P(value) == IS_ARRAY) {
		zip_tree(value);
	}
}

/* Names with values of any sort: numbers in text become numbers. */
static void add_named_nodes(const redis_node *reply, bool as_numbers, zval *table)
{
	for (uint32_t i = 0; i + 1 < reply->count; i += 2) {
		const redis_node *name = &reply->items[i], *found = &reply->items[i + 1];
		if (!name->text) {
			continue;
		}
		const char *key = ZSTR_VAL(name->text);
		size_t len = ZSTR_LEN(name->text);
		zend_long number;
		double real;
		if (found->kind == LEVERET_REDIS_INT) {
			add_assoc_long_ex(table, key, len, (zend_long) found->number);
		} else if (!found->text) {
			add_assoc_null_ex(table, key, len);
		} else {
			int type =
				as_numbers ? is_numeric_string(ZSTR_VAL(found->text), ZSTR_LEN(found->text), &number, &real, false) : 0;
			if (type == IS_LONG) {
				add_assoc_long_ex(table, key, len, number);
			} else if (type == IS_DOUBLE) {
				add_assoc_double_ex(table, key, len, real);
			} else {
				add_assoc_str_ex(table, key, len, zend_string_copy(found->text));
			}
		}
	}
}

REDIS_SHAPE(log)
{
	if (reply->kind != LEVERET_REDIS_ARRAY) {
		ZVAL_FALSE(value);
		return;
	}
	array_init_size(value, reply->count);
	for (uint32_t i = 0; i < reply->count; i++) {
		zval entry;
		array_init(&entry);
		add_named_nodes(&reply->items[i], true, &entry);
		add_next_index_zval(value, &entry);
	}
}

REDIS_SHAPE(user)
{
	if (reply->kind != LEVERET_REDIS_ARRAY && reply->kind != LEVERET_REDIS_MAP) {
		ZVAL_FALSE(value);
		return;
	}
	array_init(value);
	for (uint32_t i = 0; i + 1 < reply->count; i += 2) {
		const redis_node *name = &reply->items[i], *found = &reply->items[i + 1];
		zval element;
		if (!name->text) {
			continue;
		}
		if (found->text) {
			ZVAL_STR_COPY(&element, found->text);
		} else {
			array_init(&element);
			php_leveret_redis_add_lines(self, found, REDIS_UNPACK_NONE, &element);
		}
		add_assoc_zval_ex(value, ZSTR_VAL(name->text), ZSTR_LEN(name->text), &element);
	}
}

REDIS_SHAPE(masters)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
		return;
	}
	array_init_size(value, reply->count);
	for (uint32_t i = 0; i < reply->count; i++) {
		zval one;
		php_leveret_redis_pairs(self, &reply->items[i], NULL, &one);
		add_next_index_zval(value, &one);
	}
}

/* --- LMPOP and the like: the key, and the removed elements --- */

static void pops(redis_object *self, const redis_node *reply, bool has_scores, zval *value)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
		return;
	}
	if (reply->count != 2 || !reply->items[0].text) {
		if (self->nil_is_null) {
			ZVAL_NULL(value);
		} else {
			ZVAL_FALSE(value);
		}
		return;
	}
	zval taken;
	const redis_node *items = &reply->items[1];
	array_init_size(value, 2);
	add_next_index_str(value, zend_string_copy(reply->items[0].text));
	array_init_size(&taken, items->count);
	if (has_scores) {
		for (uint32_t i = 0; i < items->count; i++) {
			php_leveret_redis_add_lines(self, &items->items[i], REDIS_UNPACK_KEYS, &taken);
		}
		php_leveret_redis_zip(&taken, REDIS_SCORES_DOUBLE);
	} else {
		php_leveret_redis_add_lines(self, items, REDIS_UNPACK_ALL, &taken);
	}
	add_next_index_zval(value, &taken);
}

REDIS_SHAPE(pops)
{
	pops(self, reply, false, value);
}

REDIS_SHAPE(pops_scores)
{
	pops(self, reply, true, value);
}

/* --- geo --- */

REDIS_SHAPE(places)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
	} else if (reply->kind == LEVERET_REDIS_NIL_ARRAY && self->nil_is_null) {
		ZVAL_NULL(value);
	} else {
		array_init_size(value, reply->count);
		php_leveret_redis_add_lines(self, reply, REDIS_UNPACK_NONE, value);
	}
}

/* Distances and coordinates are text in the reply. */
static void make_doubles(zval *element)
{
	if (Z_TYPE_P(element) == IS_STRING) {
		convert_to_double(element);
	} else if (Z_TYPE_P(element) == IS_ARRAY) {
		zval *inner;
		SEPARATE_ARRAY(element);
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(element), inner) {
			make_doubles(inner);
		}
		ZEND_HASH_FOREACH_END();
	}
}

REDIS_SHAPE(places_more)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
		return;
	}
	array_init_size(value, reply->count);
	for (uint32_t i = 0; i < reply->count; i++) {
		const redis_node *place = &reply->items[i];
		zval about;
		if (!place->count || !place->items[0].text) {
			continue;
		}
		array_init(&about);
		for (uint32_t j = 1; j < place->count; j++) {
			zval element;
			php_leveret_redis_any(self, &place->items[j], NULL, &element);
			make_doubles(&element);
			add_next_index_zval(&about, &element);
		}
		add_assoc_zval_ex(value, ZSTR_VAL(place->items[0].text), ZSTR_LEN(place->items[0].text), &about);
	}
}

/* --- streams --- */

/* [[id, [field, value, …]], …] by id; false: it is none. */
static bool add_messages(redis_object *self, const redis_node *reply, bool is_claim, zval *table)
{
	for (uint32_t i = 0; i < reply->count; i++) {
		const redis_node *message = &reply->items[i];
		if (is_claim && message->text) {
			add_next_index_str(table, zend_string_copy(message->text));
			continue;
		}
		if (message->count != 2 || !message->items[0].text) {
			return false;
		}
		const char *id = ZSTR_VAL(message->items[0].text);
		size_t len = ZSTR_LEN(message->items[0].text);
		const redis_node *fields = &message->items[1];
		if (fields->kind == LEVERET_REDIS_NIL_ARRAY || fields->kind == LEVERET_REDIS_NIL) {
			add_assoc_null_ex(table, id, len);
			continue;
		}
		zval found;
		array_init_size(&found, fields->count);
		php_leveret_redis_add_lines(self, fields, REDIS_UNPACK_VALUES, &found);
		php_leveret_redis_zip(&found, REDIS_SCORES_NONE);
		add_assoc_zval_ex(table, id, len, &found);
	}
	return true;
}

static void messages(redis_object *self, const redis_node *reply, bool is_claim, zval *value)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
		return;
	}
	array_init_size(value, reply->count);
	if (!add_messages(self, reply, is_claim, value)) {
		zval_ptr_dtor(value);
		ZVAL_FALSE(value);
	}
}

REDIS_SHAPE(messages)
{
	messages(self, reply, false, value);
}

REDIS_SHAPE(claimed)
{
	messages(self, reply, true, value);
}

REDIS_SHAPE(claimed_auto)
{
	if (!php_leveret_redis_is_list(self, reply) || reply->count < 2 || !reply->items[0].text) {
		ZVAL_FALSE(value);
		return;
	}
	zval found;
	array_init_size(value, reply->count);
	add_next_index_str(value, zend_string_copy(reply->items[0].text));
	messages(self, &reply->items[1], true, &found);
	add_next_index_zval(value, &found);
	if (reply->count > 2) {
		array_init(&found);
		php_leveret_redis_add_lines(self, &reply->items[2], REDIS_UNPACK_ALL, &found);
		add_next_index_zval(value, &found);
	}
}

REDIS_SHAPE(streams)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
		return;
	}
	if (reply->kind == LEVERET_REDIS_NIL_ARRAY && self->nil_is_null) {
		ZVAL_NULL(value);
		return;
	}
	array_init(value);
	for (uint32_t i = 0; i < reply->count; i++) {
		const redis_node *stream = &reply->items[i];
		zval found;
		if (stream->count != 2 || !stream->items[0].text) {
			continue;
		}
		messages(self, &stream->items[1], false, &found);
		add_assoc_zval_ex(value, ZSTR_VAL(stream->items[0].text), ZSTR_LEN(stream->items[0].text), &found);
	}
}

static void add_stream_info(const redis_node *reply, zval *table)
{
	const redis_node *name = NULL;
	for (uint32_t i = 0; i < reply->count; i++) {
		const redis_node *item = &reply->items[i];
		zval element;
		if (!name && item->text) {
			name = item;
			continue;
		}
		if (item->text) {
			ZVAL_STR_COPY(&element, item->text);
		} else if (item->kind == LEVERET_REDIS_INT) {
			ZVAL_LONG(&element, (zend_long) item->number);
		} else if (item->kind == LEVERET_REDIS_NIL) {
			ZVAL_NULL(&element);
		} else {
			array_init(&element);
			add_stream_info(item, &element);
		}
		if (name) {
			add_assoc_zval_ex(table, ZSTR_VAL(name->text), ZSTR_LEN(name->text), &element);
		} else {
			add_next_index_zval(table, &element);
		}
		name = NULL;
	}
}

REDIS_SHAPE(stream_info)
{
	if (!php_leveret_redis_is_list(self, reply)) {
		ZVAL_FALSE(value);
		return;
	}
	array_init(value);
	add_stream_info(reply, value);
}
