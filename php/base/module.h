/* base/module.h: the module leveret, as the other rooms see it. */
#ifndef PHP_LEVERET_BASE_MODULE_H
#define PHP_LEVERET_BASE_MODULE_H

#include <stdbool.h>
#include <stdint.h>

/* This process's token as a web-server master, drawn before it forks; 0 on the command line, unless apcu_* is private there. */
extern uint64_t php_leveret_master;
/* Whether apcu_* is private to this process and those forked from it: on the command line, unless leveret.apcu_cli shares it. */
bool php_leveret_apcu_is_private(void);

#endif
