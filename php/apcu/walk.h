/* apcu/walk.h: one item after the other, through the whole arena. */
#ifndef PHP_LEVERET_APCU_WALK_H
#define PHP_LEVERET_APCU_WALK_H

#include "php.h"
#include "leveret.h"

typedef struct apcu_walk {
	leveret_arena *arena;
	leveret_cursor cursor;
	uint8_t *buffer;          /* records of the last step; request heap, NULL before the first */
	uintptr_t len, used, at;
	bool over;
} apcu_walk;

void apcu_walk_start(apcu_walk *walk, leveret_arena *arena);
/* The next record, good until the next call; NULL at the end. Runs no user code. */
const leveret_record *apcu_walk_next(apcu_walk *walk);
void apcu_walk_end(apcu_walk *walk);

#endif
