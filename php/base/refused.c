/* base/refused.c: what the log says of a value that an arena did not take. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/refused.h"

#include <inttypes.h>

#define PATH_LEN 512

static void log_once(bool *logged, const char *format, ...)
{
	char line[PATH_LEN + 512];
	if (*logged) {
		return;
	}
	*logged = true;
	va_list arguments;
	va_start(arguments, format);
	ap_php_vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	php_log_err(line);
}

static const char *refused_name_of(leveret_arena *arena, char path[PATH_LEN])
{
	return leveret_path(arena, path, PATH_LEN) ? path : "private to this process";
}

void php_leveret_tell_no_memory(leveret_arena *arena, size_t len)
{
	char path[PATH_LEN];
	leveret_stats stats;
	leveret_get_stats(arena, &stats);
	log_once(&LEVERET_G(no_memory_logged),
		"leveret: a value of %zu bytes was not stored: nothing in the arena %s could make room for it"
		" (%" PRIu64 " bytes, of which its file has %" PRIu64
		"). Give it more memory (docs/how-to/more-memory.md), or its file system more space. Further values are refused without a line here",
		len, refused_name_of(arena, path), stats.memory_limit, stats.memory_allocated);
}

void php_leveret_tell_no_memory_of(leveret_pool *pool, uint32_t server)
{
	leveret_server is;
	if (leveret_pool_server(pool, server, &is) == LEVERET_CODE_SUCCESS && is.kind == LEVERET_SERVER_ARENA) {
		log_once(&LEVERET_G(no_memory_logged),
			"leveret: a value was not stored: nothing in the arena %.*s could make room for it."
			" Give it more memory (docs/how-to/more-memory.md), or its file system more space. Further values are refused without a line here",
			(int) MIN(is.host.len, PATH_LEN), (const char *) is.host.data);
	}
}

void php_leveret_tell_too_large(leveret_arena *arena, size_t len)
{
	char path[PATH_LEN];
	log_once(&LEVERET_G(too_large_logged),
		"leveret: remember() has returned a value of %zu bytes without storing it: the arena %s takes %" PRIu64
		" bytes for one value,"
		" so each call computes it again. Store it in parts, or use a larger arena (docs/how-to/more-memory.md). Further values are refused without a line here",
		len, refused_name_of(arena, path), leveret_value_max(arena));
}
