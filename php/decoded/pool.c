/* decoded/pool.c: which block an array is read into.
 *
 * Blocks stand in a ring: behind the one in use comes the one that was left the longest time ago. That one is looked at
 * first, since its memory is mapped already; then a block is added, as long as all together stay below what
 * leveret.decoded_cache leaves and an eighth of memory_limit; then all are looked at.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "pool.h"

#define BLOCK_MIN ((size_t) 16 * 1024)
/* New blocks are a quarter of those that are there, up to this. */
#define BLOCK_USUAL_MAX ((size_t) 64 * 1024)
/* Larger arrays have blocks that just fit: what would be left in a block for several is memory that no cache of the
 * processor holds. */
#define SEVERAL_MAX (BLOCK_USUAL_MAX / 8)
#define PAGE ((size_t) 4096)
/* What PHP's heap takes from the system at once. */
#define CHUNK ((size_t) 2 * 1024 * 1024)

/* The estimate of an array's size, in 16ths of its length in the compact form. */
#define RATIO_ONE 16
#define RATIO_MIN (4 * RATIO_ONE)
#define RATIO_MAX (400 * RATIO_ONE)
/* Of the shortest array. */
#define ROOM_MIN ((size_t) 1024)
/* Looking at so many objects in vain costs as much as an array spares by the pool. */
#define OBJECTS_PER_ARRAY 64

struct php_leveret_block {
	php_leveret_block *next;
	size_t size;
	char *at;
	uint32_t *offsets;
	uint64_t refcounts;       /* as they are while no script holds anything */
	const zend_array *newest; /* the last array that was read into it; NULL: it is empty */
};

bool php_leveret_blocks_are_outside(void)
{
	return ZEND_DEBUG || !is_zend_mm();
}

static void empty_block(php_leveret_block *block)
{
	block->at = (char *) (block + 1);
	block->offsets = (uint32_t *) ((char *) block + block->size);
	block->refcounts = 0;
	block->newest = NULL;
}

static size_t block_room(const php_leveret_block *block)
{
	return (size_t) ((char *) block->offsets - block->at);
}

/* Holds no script anything in it? *looked counts objects. */
static bool is_free(const php_leveret_block *block, uint32_t *looked)
{
	/* What is held is mostly a whole array, and mostly the newest one. */
	if (block->newest && GC_REFCOUNT(block->newest) != 1) {
		return false;
	}
	uint64_t refcounts = 0;
	const uint32_t *end = (const uint32_t *) ((const char *) block + block->size);
	for (const uint32_t *offset = block->offsets; offset < end; offset++) {
		refcounts += GC_REFCOUNT((const zend_refcounted *) ((const char *) block + *offset));
	}
	*looked += (uint32_t) (end - block->offsets);
	return refcounts == block->refcounts;
}

/* Behind `current` in the ring; becomes the current one. */
static void insert_block(php_leveret_block *block)
{
	php_leveret_block *current = LEVERET_G(pool);
	block->next = current ? current->next : block;
	if (current) {
		current->next = block;
	}
	LEVERET_G(pool) = block;
}

static void remove_behind(php_leveret_block *before)
{
	php_leveret_block *block = before->next;
	before->next = block->next;
	if (block == LEVERET_G(pool)) {
		LEVERET_G(pool) = block == before ? NULL : before;
	}
}

static bool may_add(size_t size)
{
	size_t pool = LEVERET_G(pool_bytes) + size;
	if (pool + LEVERET_G(decoded_bytes) > (size_t) LEVERET_G(decoded_cache)) {
		return false;
	}
	zend_long limit = PG(memory_limit);
	return limit <= 0 || (pool <= (size_t) limit / 8 && zend_memory_usage(true) + size + 2 * CHUNK <= (size_t) limit);
}

static bool add_block(size_t need)
{
	size_t usual = need > SEVERAL_MAX ? 0 : MIN(MAX(LEVERET_G(pool_bytes) / 4, BLOCK_MIN), BLOCK_USUAL_MAX);
	size_t size = (MAX(need + sizeof(php_leveret_block), usual) + PAGE - 1) & ~(PAGE - 1);
	if (size > UINT32_MAX || !may_add(size)) {
		return false;
	}
	LEVERET_G(pool_is_outside) = php_leveret_blocks_are_outside();
	php_leveret_block *block = pemalloc(size, LEVERET_G(pool_is_outside));
	block->size = size;
	empty_block(block);
	insert_block(block);
	LEVERET_G(pool_bytes) += size;
	return true;
}

static void drop_behind(php_leveret_block *before)
{
	php_leveret_block *block = before->next;
	remove_behind(before);
	LEVERET_G(pool_bytes) -= block->size;
	pefree(block, LEVERET_G(pool_is_outside));
}

/* Looks at all blocks. Those that are too small give way to a larger one. */
static bool find_block(size_t need, uint32_t *looked)
{
	php_leveret_block *before = LEVERET_G(pool), *last = before;
	bool was_last;
	do {
		php_leveret_block *block = before->next;
		was_last = block == last;
		if (!is_free(block, looked)) {
			before = block;
			continue;
		}
		if (block->size >= need + sizeof(*block)) {
			empty_block(block);
			remove_behind(before);
			insert_block(block);
			return true;
		}
		drop_behind(before);
	} while (!was_last && LEVERET_G(pool));
	return add_block(need);
}

/* Takes the block that was left the longest time ago, if it is free. Those that are too small are given back. */
static bool take_oldest(size_t need, uint32_t *looked)
{
	php_leveret_block *current;
	while ((current = LEVERET_G(pool)) && is_free(current->next, looked)) {
		if (current->next->size >= need + sizeof(*current)) {
			LEVERET_G(pool) = current->next;
			empty_block(LEVERET_G(pool));
			return true;
		}
		drop_behind(current);
	}
	return false;
}

/* Makes a block with so much room the current one. */
static bool next_block(size_t need)
{
	uint32_t looked = 0;
	if (take_oldest(need, &looked) || add_block(need) || (LEVERET_G(pool) && find_block(need, &looked))) {
		return true;
	}
	LEVERET_G(pool_rests) = looked / OBJECTS_PER_ARRAY;
	return false;
}

static bool open_room(size_t need, php_leveret_room *room)
{
	php_leveret_block *block = LEVERET_G(pool);
	if ((!block || block_room(block) < need) && !next_block(need)) {
		return false;
	}
	block = LEVERET_G(pool);
	room->block = block;
	room->at = room->start = block->at;
	room->offsets = block->offsets;
	room->refcounts = block->refcounts;
	room->is_full = false;
	return true;
}

bool php_leveret_room_begin(size_t len, php_leveret_room *room)
{
	if (UNEXPECTED(LEVERET_G(pool_rests))) {
		LEVERET_G(pool_rests)--;
		return false;
	}
	uint32_t ratio = MAX(LEVERET_G(pool_ratio), RATIO_MIN);
	size_t need = len / RATIO_ONE * ratio;
	if (UNEXPECTED(!open_room(need + need / 32 + ROOM_MIN, room))) {
		/* Perhaps it is the estimate that is too large. */
		LEVERET_G(pool_ratio) = ratio - ratio / 8;
		return false;
	}
	return true;
}

bool php_leveret_room_enlarge(php_leveret_room *room, size_t len)
{
	size_t need = 2 * (size_t) ((char *) room->block->offsets - room->start);
	LEVERET_G(pool_ratio) = (uint32_t) MIN(need / (len / RATIO_ONE + 1), RATIO_MAX);
	return open_room(need, room);
}

void php_leveret_room_keep(const php_leveret_room *room, size_t len, const zend_array *array)
{
	php_leveret_block *block = room->block;
	size_t used = (size_t) (room->at - room->start) + (size_t) ((char *) block->offsets - (char *) room->offsets);
	uint32_t ratio = (uint32_t) (used / (len / RATIO_ONE + 1) + 1), before = LEVERET_G(pool_ratio);
	LEVERET_G(pool_ratio) = ratio >= before ? ratio : before - (before - ratio) / 8;
	block->at = room->at;
	block->offsets = room->offsets;
	block->refcounts = room->refcounts;
	block->newest = array;
}

void php_leveret_pool_forget(zend_leveret_globals *globals)
{
	php_leveret_block *last = globals->pool;
	/* Blocks of the heap went with it. */
	if (last && globals->pool_is_outside) {
		php_leveret_block *block = last->next;
		while (block != last) {
			php_leveret_block *next = block->next;
			free(block);
			block = next;
		}
		free(last);
	}
	globals->pool = NULL;
	globals->pool_bytes = 0;
	globals->pool_rests = 0;
}
