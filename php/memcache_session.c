/* memcache_session.c: the session handler "memcache". */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "memcache.h"

void php_leveret_memcache_session(void)
{
}
