/* codec/plain_class.h: classes whose objects are no more than their properties. */
#ifndef PHP_LEVERET_CODEC_PLAIN_CLASS_H
#define PHP_LEVERET_CODEC_PLAIN_CLASS_H

#include "php.h"

#include "zend_enum.h"
#if PHP_VERSION_ID >= 80400
#include "zend_lazy_objects.h"
#endif

/* Whether objects of the class can be read and written by their properties alone: stdClass, and classes of PHP code
 * without an ancestor of PHP's own, and without a method that has a say when they are serialized, made or freed. */
static zend_always_inline bool php_leveret_is_plain_class(const zend_class_entry *ce)
{
	if (ce == zend_standard_class_def) {
		return true;
	}
	if (ce->create_object || ce->destructor || ce->serialize || ce->unserialize || ce->__serialize || ce->__unserialize
		|| ce->ce_flags & (ZEND_ACC_NOT_SERIALIZABLE | ZEND_ACC_ENUM)) {
		return false;
	}
#if PHP_VERSION_ID >= 80400
	if (ce->num_hooked_props) {
		return false;
	}
#endif
	if (zend_hash_str_exists(&ce->function_table, ZEND_STRL("__sleep"))
		|| zend_hash_str_exists(&ce->function_table, ZEND_STRL("__wakeup"))) {
		return false;
	}
	for (; ce; ce = ce->parent) {
		if (ce->type != ZEND_USER_CLASS) {
			return false;
		}
	}
	return true;
}

static zend_always_inline bool php_leveret_is_named(const zend_property_info *info, const zend_class_entry *ce)
{
	const zend_string *name = ZEND_TYPE_NAME(info->type);
	return zend_string_equals_ci(ce->name, name) || (ce == info->ce && zend_string_equals_literal_ci(name, "self"));
}

/* Whether a property takes the value as it is, without a conversion. Of types that are more than one class's name nothing
 * is known. */
static zend_always_inline bool php_leveret_fits(const zend_property_info *info, const zval *value)
{
	if (EXPECTED(!ZEND_TYPE_IS_SET(info->type)) || ZEND_TYPE_FULL_MASK(info->type) & (1u << Z_TYPE_P(value))) {
		return true;
	}
	if (Z_TYPE_P(value) != IS_OBJECT || !ZEND_TYPE_HAS_NAME(info->type)) {
		return false;
	}
	const zend_class_entry *of = Z_OBJCE_P(value);
	for (const zend_class_entry *ce = of; ce; ce = ce->parent) {
		if (php_leveret_is_named(info, ce)) {
			return true;
		}
	}
	for (uint32_t i = 0; i < of->num_interfaces; i++) {
		if (php_leveret_is_named(info, of->interfaces[i])) {
			return true;
		}
	}
	return false;
}

#endif
