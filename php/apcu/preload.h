/* apcu/preload.h: initial items of a new cache. */
#ifndef PHP_LEVERET_APCU_PRELOAD_H
#define PHP_LEVERET_APCU_PRELOAD_H

#include "php.h"
#include "leveret.h"

/* Stores the items of the folder apc.preload_path, in a cache that was just made or emptied by a restart. */
void php_leveret_apcu_preload(leveret_arena *arena);

#endif
