/* base/ini.c: INI handlers that modules share. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ini.h"

bool php_leveret_ini_is_valid(bool good, const zend_ini_entry *entry, const zend_string *value, const char *allowed)
{
	if (!good) {
		zend_error(E_WARNING, "%s must be %s, \"%s\" is not; the default is used", ZSTR_VAL(entry->name), allowed,
			value ? ZSTR_VAL(value) : "");
	}
	return good;
}

ZEND_INI_MH(php_leveret_on_update_range)
{
	const php_leveret_range *range = mh_arg3;
	zend_string *problem = NULL;
	zend_long number = new_value ? zend_ini_parse_quantity(new_value, &problem) : 0;
	bool good = !problem && number >= range->min && number <= range->max;
	if (problem) {
		zend_string_release(problem);
	}
	if (!php_leveret_ini_is_valid(good, entry, new_value, range->text)) {
		return FAILURE;
	}
	*(zend_long *) ZEND_INI_GET_ADDR() = number;
	return SUCCESS;
}
