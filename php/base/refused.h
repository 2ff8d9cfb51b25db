/* base/refused.h: what the log says of a value that an arena did not take: result codes and false do not say why. */
#ifndef PHP_LEVERET_BASE_REFUSED_H
#define PHP_LEVERET_BASE_REFUSED_H

#include "base/globals.h"

/* One log line a process for each of the two reasons. */
void php_leveret_tell_no_memory(leveret_arena *arena, size_t len);
void php_leveret_tell_too_large(leveret_arena *arena, size_t len);
/* The same as the first, of an arena that is a server of a pool: its name. */
void php_leveret_tell_no_memory_of(leveret_pool *pool, uint32_t server);

#endif
