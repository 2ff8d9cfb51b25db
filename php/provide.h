/* provide.h: the drop-in modules. */
#ifndef PHP_LEVERET_PROVIDE_H
#define PHP_LEVERET_PROVIDE_H

#include "php.h"

bool php_leveret_is_list_of_drop_ins(const char *list);
zend_result php_leveret_provide(
	void); /* registers the modules that leveret.provide names, but for those whose real one is there */
void php_leveret_provide_info(void); /* phpinfo rows */

#endif
