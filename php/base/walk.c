/* base/walk.c: leveret_walk_next, with a buffer of the request's heap. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "walk.h"
#include "arena.h"

void php_leveret_walk_start(php_leveret_walk *walk, leveret_arena *arena, uint32_t now, bool keys_only)
{
	*walk =
		(php_leveret_walk) { .arena = arena, .walk = { .now = now, .keys_only = keys_only }, .failure = LEVERET_OK };
}

void php_leveret_walk_end(php_leveret_walk *walk)
{
	if (walk->walk.buffer) {
		efree(walk->walk.buffer);
	}
	walk->walk = (leveret_walk) { .is_over = 1 };
}

const leveret_record *php_leveret_walk_on(php_leveret_walk *walk)
{
	const leveret_record *record;
	leveret_status status;
	while ((status = leveret_walk_next(walk->arena, &walk->walk, &record)) == LEVERET_NO_MEMORY) {
		walk->walk.buffer = erealloc(walk->walk.buffer, walk->walk.needed);
		walk->walk.len = walk->walk.needed;
	}
	if (EXPECTED(status == LEVERET_OK)) {
		return record;
	}
	walk->walk.is_over = 1;
	if (status == LEVERET_LOST) {
		php_leveret_arena_lost(walk->arena);
	} else if (status != LEVERET_MISS) {
		walk->failure = status;
	}
	return NULL;
}
