/* codec/compact_text.c: the compact form as serialize() would have written it, for objects that only unserialize() makes:
 * their class is not there, not allowed or not plain any more, or has other types.
 *
 * The bytes are read as any others, but for objects: each becomes a list of its class's name and its properties in an
 * object that nobody sees.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/text.h"
#include "compact_text.h"
#include "compact_reader.h"

/* Takes both over. `properties` NULL: the name is that of an enumeration's case. */
static void make_description(zval *to, zend_string *name, zend_array *properties)
{
	zend_object *object = zend_objects_new(zend_standard_class_def);
	object->properties = zend_new_array(2);
	zval value;
	ZVAL_STR(&value, name);
	zend_hash_next_index_insert_new(object->properties, &value);
	if (properties) {
		ZVAL_ARR(&value, properties);
		zend_hash_next_index_insert_new(object->properties, &value);
	}
	ZVAL_OBJ(to, object);
}

static bool describe_properties(compact_reader *from, uint32_t number, zval *to)
{
	compact_class *class = &from->classes[number];
	zend_string *name = class->name;
	zend_array *properties = NULL;
	if (class->count > compact_left(from) || from->depth == LEVERET_COMPACT_DEPTH_MAX) {
		return false;
	}
	from->depth++;
	if (class->count == 0) {
		properties = zend_new_array(0);
	} else if (class->properties) {
		properties = php_leveret_compact_like(from, class->properties);
	} else if ((properties = php_leveret_compact_keys(from, class->count))) {
		class->properties = properties;
		properties = php_leveret_compact_values(from, properties) ? properties : NULL;
	}
	from->depth--;
	if (!properties) {
		return false;
	}
	make_description(to, zend_string_copy(name), properties);
	return true;
}

static bool describe(compact_reader *from, uint8_t tag, zval *to)
{
	uint32_t number;
	if (tag == LEVERET_COMPACT_OBJECT_ID) {
		return compact_take_number(from, &number) && number < from->classes_len
			&& describe_properties(from, number, to);
	}
	zend_string *name = php_leveret_compact_name(from);
	if (!name || !ZSTR_LEN(name)) {
		return false;
	}
	if (tag == LEVERET_COMPACT_ENUM_CASE) {
		zend_string *of_case = php_leveret_compact_name(from);
		if (!of_case) {
			return false;
		}
		make_description(to,
			zend_string_concat3(ZSTR_VAL(name), ZSTR_LEN(name), ":", 1, ZSTR_VAL(of_case), ZSTR_LEN(of_case)), NULL);
		return true;
	}
	if (!compact_take_number(from, &number) || number > compact_left(from) / 2 || number > HT_MAX_SIZE) {
		return false;
	}
	compact_class *class = php_leveret_compact_add_class(from);
	class->name = name;
	class->count = number;
	return describe_properties(from, from->classes_len - 1, to);
}

/* --- the text --- */

static void append_quoted(smart_str *to, char type, const zend_string *string, char end)
{
	smart_str_append_printf(to, "%c:%zu:\"", type, ZSTR_LEN(string));
	php_leveret_append(to, ZSTR_VAL(string), ZSTR_LEN(string));
	smart_str_append_printf(to, "\"%c", end);
}

static void append_integer(smart_str *to, zend_long integer)
{
	smart_str_append_printf(to, "i:" ZEND_LONG_FMT ";", integer);
}

static void append_value(smart_str *to, const zval *value);

/* How many there are, and they in braces. */
static void append_elements(smart_str *to, const zend_array *array)
{
	zend_ulong index;
	zend_string *key;
	zval *value;
	smart_str_append_printf(to, "%u:{", array->nNumOfElements);
	ZEND_HASH_FOREACH_KEY_VAL((zend_array *) array, index, key, value) {
		if (key) {
			append_quoted(to, 's', key, ';');
		} else {
			append_integer(to, (zend_long) index);
		}
		append_value(to, value);
	}
	ZEND_HASH_FOREACH_END();
	php_leveret_append(to, "}", 1);
}

static void append_description(smart_str *to, const zend_array *description)
{
	const zend_string *name = Z_STR(description->arPacked[0]);
	if (description->nNumUsed == 1) {
		append_quoted(to, 'E', name, ';');
		return;
	}
	append_quoted(to, 'O', name, ':');
	append_elements(to, Z_ARR(description->arPacked[1]));
}

static void append_value(smart_str *to, const zval *value)
{
	switch (Z_TYPE_P(value)) {
		case IS_FALSE:
		case IS_TRUE:
			php_leveret_append(to, Z_TYPE_P(value) == IS_TRUE ? "b:1;" : "b:0;", 4);
			break;
		case IS_LONG:
			append_integer(to, Z_LVAL_P(value));
			break;
		case IS_DOUBLE:
			php_leveret_append(to, "d:", 2);
			/* The shortest text that reads back as the same float. */
			smart_str_append_double(to, Z_DVAL_P(value), -1, false);
			php_leveret_append(to, ";", 1);
			break;
		case IS_STRING:
			append_quoted(to, 's', Z_STR_P(value), ';');
			break;
		case IS_ARRAY:
			php_leveret_append(to, "a:", 2);
			append_elements(to, Z_ARR_P(value));
			break;
		case IS_OBJECT:
			append_description(to, Z_OBJ_P(value)->properties);
			break;
		default:
			php_leveret_append(to, "N;", 2);
	}
}

zend_string *php_leveret_compact_text(const char *data, size_t len)
{
	static const php_leveret_compact_objects descriptions = { describe };
	zval value;
	smart_str text = { 0 };
	if (php_leveret_compact_read(data, len, NULL, &descriptions, &value) != PHP_LEVERET_COMPACT_READ) {
		return NULL;
	}
	append_value(&text, &value);
	zval_ptr_dtor(&value);
	return smart_str_extract(&text);
}
