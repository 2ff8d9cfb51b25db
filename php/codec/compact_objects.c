/* codec/compact_objects.c: objects in the compact form: the first of a class by its name and those of its properties, the
 * others by the places that were found for these.
 *
 * What PHP's reader would do otherwise than set properties (other classes, other types, no class) is left to it.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "compact_objects.h"
#include "compact_reader.h"
#include "plain_class.h"

/* Autoloads. NULL: the class is PHP's reader's business, or an exception is pending. */
static zend_class_entry *find_class(compact_reader *from, zend_string *name)
{
	if (from->allowed) {
		zend_string *lower = zend_string_tolower(name);
		bool is_allowed = zend_hash_exists(from->allowed, lower);
		zend_string_release(lower);
		if (!is_allowed) {
			from->is_for_php = true;
			return NULL;
		}
	}
	zend_class_entry *ce = zend_lookup_class(name);
	from->is_for_php = !ce && !EG(exception);
	return ce;
}

static bool can_be_made(zend_class_entry *ce)
{
	return !(ce->ce_flags
			   & (ZEND_ACC_INTERFACE | ZEND_ACC_TRAIT | ZEND_ACC_EXPLICIT_ABSTRACT_CLASS
				   | ZEND_ACC_IMPLICIT_ABSTRACT_CLASS))
		&& php_leveret_is_plain_class(ce);
}

/* --- cases of enumerations --- */

static bool read_enum_case(compact_reader *from, zend_string *class_name, zend_string *name, zval *to)
{
	zend_class_entry *ce = find_class(from, class_name);
	if (!ce) {
		return false;
	}
	zend_class_constant *constant =
		ce->ce_flags & ZEND_ACC_ENUM ? zend_hash_find_ptr(CE_CONSTANTS_TABLE(ce), name) : NULL;
	if (!constant || !(ZEND_CLASS_CONST_FLAGS(constant) & ZEND_CLASS_CONST_IS_CASE)) {
		from->is_for_php = true;
		return false;
	}
	if (Z_TYPE(constant->value) == IS_CONSTANT_AST
		&& zval_update_constant_ex(&constant->value, constant->ce) != SUCCESS) {
		return false;
	}
	ZVAL_COPY(to, &constant->value);
	return true;
}

/* --- classes --- */

/* The place of a declared property; UINT32_MAX: there is none, or it was named already. */
static uint32_t place_of(const compact_class *class, const zend_string *name, uint32_t named)
{
	const zend_class_entry *ce = class->ce;
	for (uint32_t place = 0; place < (uint32_t) ce->default_properties_count; place++) {
		const zend_property_info *info = ce->properties_info_table[place];
		if (info && zend_string_equals(info->name, name)) {
			for (uint32_t i = 0; i < named; i++) {
				if (class->places[i] == place) {
					return UINT32_MAX;
				}
			}
			return place;
		}
	}
	return UINT32_MAX;
}

/* The names of its properties. */
static bool read_names(compact_reader *from, compact_class *class)
{
	/* One more: there may be none. */
	class->places = safe_emalloc((size_t) class->count + 1, sizeof(*class->places), 0);
	for (uint32_t i = 0; i < class->count; i++) {
		zend_string *name = php_leveret_compact_name(from);
		if (!name) {
			return false;
		}
		class->places[i] = place_of(class, name, i);
		if (class->places[i] == UINT32_MAX) {
			from->is_for_php = true;
			return false;
		}
	}
	class->is_whole = class->count == (uint32_t) class->ce->default_properties_count;
	return true;
}

/* --- objects --- */

/* The next value. */
static bool read_property(compact_reader *from, const zend_property_info *info, zval *property)
{
	zval value;
	if (!php_leveret_compact_value(from, &value)) {
		return false;
	}
	ZVAL_COPY_VALUE(property, &value);
	Z_PROP_FLAG_P(property) = 0;
	from->is_for_php = !php_leveret_fits(info, &value);
	return !from->is_for_php;
}

static bool read_declared(compact_reader *from, uint32_t number, zval *to)
{
	zend_class_entry *ce = from->classes[number].ce;
	zend_object *object = zend_objects_new(ce);
	if (from->classes[number].is_whole) {
		for (int i = 0; i < ce->default_properties_count; i++) {
			ZVAL_UNDEF(&object->properties_table[i]);
		}
	} else {
		object_properties_init(object, ce);
	}
	for (uint32_t i = 0; i < from->classes[number].count; i++) {
		/* Each time: an object within may have moved the classes. */
		uint32_t place = from->classes[number].places[i];
		zval *property = &object->properties_table[place];
		zval_ptr_dtor(property);
		ZVAL_UNDEF(property);
		if (UNEXPECTED(!read_property(from, ce->properties_info_table[place], property))) {
			zend_object_release(object);
			return false;
		}
	}
	ZVAL_OBJ(to, object);
	return true;
}

/* The properties of an object of stdClass; NULL: they are none. */
static zend_array *read_properties(compact_reader *from, uint32_t number)
{
	const zend_array *like = from->classes[number].properties;
	if (like) {
		return php_leveret_compact_like(from, like);
	}
	/* An object within may have the same. */
	zend_array *properties = php_leveret_compact_keys(from, from->classes[number].count);
	from->classes[number].properties = properties;
	return properties && php_leveret_compact_values(from, properties) ? properties : NULL;
}

static bool read_standard(compact_reader *from, uint32_t number, zval *to)
{
	zend_array *properties = NULL;
	if (from->classes[number].count > 0 && !(properties = read_properties(from, number))) {
		return false;
	}
	zend_object *object = zend_objects_new(zend_standard_class_def);
	object->properties = properties;
	ZVAL_OBJ(to, object);
	return true;
}

static bool read_object(compact_reader *from, uint32_t number, zval *to)
{
	uint32_t count = from->classes[number].count;
	if (UNEXPECTED(count > compact_left(from) || from->depth == LEVERET_COMPACT_DEPTH_MAX)) {
		return false;
	}
	from->depth++;
	bool read = from->classes[number].ce == zend_standard_class_def ? read_standard(from, number, to)
																	: read_declared(from, number, to);
	from->depth--;
	return read;
}

/* Behind the class's name. */
static bool read_new_object(compact_reader *from, zend_string *name, zval *to)
{
	uint32_t count;
	if (!compact_take_number(from, &count) || count > compact_left(from) / 2 || count > HT_MAX_SIZE) {
		return false;
	}
	zend_class_entry *ce = find_class(from, name);
	if (!ce) {
		return false;
	}
	if (!can_be_made(ce)) {
		from->is_for_php = true;
		return false;
	}
	if (!(ce->ce_flags & ZEND_ACC_CONSTANTS_UPDATED) && zend_update_class_constants(ce) != SUCCESS) {
		return false;
	}
	uint32_t number = from->classes_len;
	compact_class *class = php_leveret_compact_add_class(from);
	class->ce = ce;
	class->count = count;
	if (ce != zend_standard_class_def && !read_names(from, class)) {
		return false;
	}
	return read_object(from, number, to);
}

static bool read_any_object(compact_reader *from, uint8_t tag, zval *to)
{
	uint32_t number;
	if (tag == LEVERET_COMPACT_OBJECT_ID) {
		return compact_take_number(from, &number) && number < from->classes_len && read_object(from, number, to);
	}
	zend_string *name = php_leveret_compact_name(from);
	if (!name || !ZSTR_LEN(name)) {
		return false;
	}
	if (tag == LEVERET_COMPACT_NEW_OBJECT) {
		return read_new_object(from, name, to);
	}
	zend_string *case_name = php_leveret_compact_name(from);
	return case_name && read_enum_case(from, name, case_name, to);
}

const php_leveret_compact_objects php_leveret_compact_objects_of_php = { read_any_object };
