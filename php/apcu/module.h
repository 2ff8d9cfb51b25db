/* apcu/module.h: the drop-in module apcu. */
#ifndef PHP_LEVERET_APCU_MODULE_H
#define PHP_LEVERET_APCU_MODULE_H

#include "php.h"

zend_result php_leveret_apcu_startup(void);

#endif
