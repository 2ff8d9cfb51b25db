/* redis/table.c: the command of each method, its arguments, and the conversion of its reply. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"
#include "builders.h"

#define R(method, command, letters, shape) { #method, command, letters, NULL, php_leveret_redis_##shape },
#define B(method, command, builder, shape) \
	{ #method, command, NULL, php_leveret_redis_build_##builder, php_leveret_redis_##shape },

/* In the order of lower-case names: they are searched by halves. */
const redis_row php_leveret_redis_rows[] = {
#include "rows.h"
};

const uint32_t php_leveret_redis_row_count = sizeof(php_leveret_redis_rows) / sizeof(*php_leveret_redis_rows);
