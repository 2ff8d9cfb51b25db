/* decoded/pool.h: blocks of the request's heap in which arrays are read.
 *
 * An array, and all that is in it, lies in one block: reading it asks the heap for nothing, and letting it go gives
 * nothing back. Each array and string in a block has a refcount of its own for each value that it is there, and strings
 * that are keys at least one, so PHP never frees any of them. A block is used again when nothing in it has a further
 * refcount, which a script would have. The heap frees all blocks when the request ends, and counts them for
 * memory_limit.
 */
#ifndef PHP_LEVERET_DECODED_POOL_H
#define PHP_LEVERET_DECODED_POOL_H

#include "base/globals.h"

/* Room in a block for one array. Objects are taken from the front; their offsets stand at the back. */
typedef struct php_leveret_room {
	char *at;
	uint32_t *offsets;  /* the last one that was written: the room's end */
	uint64_t refcounts; /* of all objects in it */
	bool is_full;       /* an object found no room */
	char *start;
	php_leveret_block *block;
} php_leveret_room;

/* Room for an array that is `len` bytes long in the compact form. What that becomes is estimated from those before.
 * False: there is none, use the heap. Runs no user code. */
bool php_leveret_room_begin(size_t len, php_leveret_room *room);
/* Twice as much room, with nothing in it. False: there is none. */
bool php_leveret_room_enlarge(php_leveret_room *room, size_t len);
/* The array is whole, and what was taken stays. A room that is not kept is free again. */
void php_leveret_room_keep(const php_leveret_room *room, size_t len, const zend_array *array);

/* Bytes behind the last object that may be written, too. */
#define PHP_LEVERET_ROOM_SPARE 16

/* An array or a string of that many bytes, a multiple of 8, with a refcount of 1; or NULL. */
static zend_always_inline void *php_leveret_room_take(php_leveret_room *room, size_t size)
{
	if (UNEXPECTED(
			size + PHP_LEVERET_ROOM_SPARE + sizeof(*room->offsets) > (size_t) ((char *) room->offsets - room->at))) {
		room->is_full = true;
		return NULL;
	}
	zend_refcounted *object = (zend_refcounted *) room->at;
	*--room->offsets = (uint32_t) (room->at - (char *) room->block);
	room->at += size;
	room->refcounts++;
	GC_SET_REFCOUNT(object, 1);
	return object;
}

/* Where PHP's heap would report each block as a leak, or does not free it: blocks are the C library's. */
bool php_leveret_blocks_are_outside(void);
/* When a request begins, or when a thread ends: no value of another request is left. */
void php_leveret_pool_forget(zend_leveret_globals *globals);

#endif
