/* base/ini.h: INI handlers that modules share. */
#ifndef PHP_LEVERET_BASE_INI_H
#define PHP_LEVERET_BASE_INI_H

#include "php.h"

/* Passes `good` on. False: with one warning in the words of all directives; then PHP keeps the default. */
bool php_leveret_ini_is_valid(bool good, const zend_ini_entry *entry, const zend_string *value, const char *allowed);

/* INI handler of sizes and numbers: refuses, with one warning, values outside the limits given as mh_arg3. */
typedef struct php_leveret_range {
	zend_long min, max;
	const char *text;
} php_leveret_range;
ZEND_INI_MH(php_leveret_on_update_range);

/* An INI setting whose handler takes a third argument, for which PHP's own STD_PHP_INI_ENTRY has no place. */
#ifdef ZTS
#define PHP_LEVERET_INI_ENTRY3(name, value, mode, handler, field, globals, arg3) \
	ZEND_INI_ENTRY3( \
		name, value, mode, handler, (void *) offsetof(zend_##globals, field), (void *) &globals##_id, (void *) (arg3))
#else
#define PHP_LEVERET_INI_ENTRY3(name, value, mode, handler, field, globals, arg3) \
	ZEND_INI_ENTRY3( \
		name, value, mode, handler, (void *) offsetof(zend_##globals, field), (void *) &globals, (void *) (arg3))
#endif

#endif
