/* base/walk.h: one item after the other, through the whole arena. */
#ifndef PHP_LEVERET_BASE_WALK_H
#define PHP_LEVERET_BASE_WALK_H

#include "php.h"
#include "leveret.h"

typedef struct php_leveret_walk {
	leveret_arena *arena;
	leveret_walk walk; /* its buffer is of the request's heap */
	/* Why it is over before its end; OK: it is not, or the arena was lost, and with it all that was left. */
	leveret_status failure;
} php_leveret_walk;

/* `now`: 0 is the clock's. `keys_only`: nothing else is told of the items. */
void php_leveret_walk_start(php_leveret_walk *walk, leveret_arena *arena, uint32_t now, bool keys_only);
/* The next record as the engine gives it. */
const leveret_record *php_leveret_walk_on(php_leveret_walk *walk);
/* The next record, good until the next call; NULL at the end. Runs no user code. */
static zend_always_inline const leveret_record *php_leveret_walk_next(php_leveret_walk *walk)
{
	leveret_walk *state = &walk->walk;
	if (EXPECTED(state->at < state->used)) {
		const leveret_record *record = (const leveret_record *) (state->buffer + state->at);
		state->at += record->record_len;
		return record;
	}
	return php_leveret_walk_on(walk);
}
void php_leveret_walk_end(php_leveret_walk *walk);

#endif
