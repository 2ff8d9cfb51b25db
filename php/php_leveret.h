/* php_leveret.h: the extension, as a PHP sees it that has it built in.
 *
 * One rule above all for what is in this folder: exit, fatal errors and exceptions may longjmp through any call into
 * PHP, so nothing here holds a lock, a lease (but for the callbacks of remember() and apcu_entry(), see
 * leveret_lease_release_all) or an allocation outside PHP's own heap across such a call.
 */
#ifndef PHP_LEVERET_H
#define PHP_LEVERET_H

#include "php.h"

extern zend_module_entry leveret_module_entry;
#define phpext_leveret_ptr &leveret_module_entry

#endif
