/* apcu/walk.c: leveret_scan, a buffer at a time. */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "walk.h"
#include "apcu.h"

/* A thousand small items at a time; one step of the engine must fit, and asks for more where this is too little. */
#define BUFFER_LEN (64 * 1024)

void apcu_walk_start(apcu_walk *walk, leveret_arena *arena)
{
	memset(walk, 0, sizeof(*walk));
	walk->arena = arena;
}

void apcu_walk_end(apcu_walk *walk)
{
	if (walk->buffer) {
		efree(walk->buffer);
		walk->buffer = NULL;
	}
	walk->over = true;
}

/* Reads on until there are records or the walk is over. */
static void fill(apcu_walk *walk)
{
	if (!walk->buffer) {
		walk->len = BUFFER_LEN;
		walk->buffer = emalloc(walk->len);
	}
	walk->at = walk->used = 0;
	while (walk->used == 0 && !walk->over) {
		switch (leveret_scan(walk->arena, &walk->cursor, apcu_now(), walk->buffer, walk->len, &walk->used)) {
			case LEVERET_OK:
				break;
			case LEVERET_NO_MEMORY:
				walk->len = walk->used;
				walk->used = 0;
				walk->buffer = erealloc(walk->buffer, walk->len);
				break;
			case LEVERET_LOST:
				php_leveret_arena_lost(walk->arena);
				walk->used = 0;
				walk->over = true;
				break;
			case LEVERET_MISS:
				walk->over = true;
				break;
			default:
				walk->used = 0;
				walk->over = true;
				break;
		}
	}
}

const leveret_record *apcu_walk_next(apcu_walk *walk)
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
