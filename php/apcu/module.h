/* apcu/module.h: the drop-in module apcu. */
#ifndef PHP_LEVERET_APCU_MODULE_H
#define PHP_LEVERET_APCU_MODULE_H

#include "php.h"

/* INI apc.*, except those that base/ and codec/ read, which lie in base/globals.h. Settings without a meaning here are
 * accepted and shown. Only where the module is provided: otherwise there are no such globals. */
ZEND_BEGIN_MODULE_GLOBALS(leveret_apcu)
	bool enabled;
	zend_long entries_hint;
	zend_long gc_ttl;
	zend_long ttl;
	double expunge_threshold;
	char *mmap_file_mask;
	zend_long mmap_hugepage_size;
	bool enable_cli;
	bool slam_defense;
	char *preload_path;
	bool coredump_unmap;
ZEND_END_MODULE_GLOBALS(leveret_apcu)

ZEND_EXTERN_MODULE_GLOBALS(leveret_apcu)

#define APCU_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(leveret_apcu, v)

zend_result php_leveret_apcu_startup(void);

#endif
