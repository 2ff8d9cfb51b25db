/* base/walk.c: leveret_scan, a buffer at a time. */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "walk.h"
#include "arena.h"

/* A thousand small items at a time; one step of the engine must fit, and asks for more where this is too little. */
#define BUFFER_LEN (64 * 1024)

void php_leveret_walk_start(php_leveret_walk *walk, leveret_arena *arena, uint32_t now)
{
	memset(walk, 0, sizeof(*walk));
	walk->arena = arena;
	walk->now = now;
	walk->failure = LEVERET_OK;
}

void php_leveret_walk_end(php_leveret_walk *walk)
{
	if (walk->buffer) {
		efree(walk->buffer);
		walk->buffer = NULL;
	}
	walk->over = true;
}

/* Reads on until there are records or the walk is over. */
static void fill(php_leveret_walk *walk)
{
	if (!walk->buffer) {
		walk->len = BUFFER_LEN;
		walk->buffer = emalloc(walk->len);
	}
	walk->at = walk->used = 0;
	while (walk->used == 0 && !walk->over) {
		leveret_status status = leveret_scan(walk->arena, &walk->cursor, walk->now, walk->buffer, walk->len, &walk->used);
		if (status == LEVERET_OK) {
			continue;
		}
		if (status == LEVERET_NO_MEMORY && walk->used > walk->len) {
			walk->len = walk->used;
			walk->used = 0;
			walk->buffer = erealloc(walk->buffer, walk->len);
			continue;
		}
		walk->over = true;
		if (status == LEVERET_MISS) {
			return;
		}
		walk->used = 0;
		if (status == LEVERET_LOST) {
			php_leveret_arena_lost(walk->arena);
		} else {
			walk->failure = status;
		}
	}
}

const leveret_record *php_leveret_walk_next(php_leveret_walk *walk)
{
	if (walk->at == walk->used && !walk->over) {
		fill(walk);
	}
	if (walk->at >= walk->used) {
		return NULL;
	}
	const leveret_record *record = (const leveret_record *) (walk->buffer + walk->at);
	walk->at += record->record_len;
	return record;
}
