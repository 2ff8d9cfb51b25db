/* base/module.h: the module leveret, as the other rooms see it. */
#ifndef PHP_LEVERET_BASE_MODULE_H
#define PHP_LEVERET_BASE_MODULE_H

#include <stdint.h>

/* This process's token as a web-server master, drawn before it forks; 0 on the command line. */
extern uint64_t php_leveret_master;

#endif
