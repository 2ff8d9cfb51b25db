/* apcu/apcu.h: what the files of the drop-in module apcu share. */
#ifndef PHP_LEVERET_APCU_H
#define PHP_LEVERET_APCU_H

#include "base/arena.h"
#include "base/globals.h"

#define APC_LIST_ACTIVE 1
#define APC_LIST_DELETED 2

#define APC_ITER_NONE 0x000
#define APC_ITER_TYPE 0x001
#define APC_ITER_KEY 0x002
#define APC_ITER_VALUE 0x004
#define APC_ITER_NUM_HITS 0x008
#define APC_ITER_MTIME 0x010
#define APC_ITER_CTIME 0x020
#define APC_ITER_DTIME 0x040
#define APC_ITER_ATIME 0x080
#define APC_ITER_REFCOUNT 0x100
#define APC_ITER_MEM_SIZE 0x200
#define APC_ITER_TTL 0x400
#define APC_ITER_ALL 0xffffffff

/* The time for the engine: 0 lets it read the clock where it needs to, unless time stands still for the length of a
 * request. */
static zend_always_inline uint32_t apcu_now(void)
{
	return UNEXPECTED(LEVERET_G(use_request_time)) ? LEVERET_G(request_now) : 0;
}

/* The begin of each function: the time, and the arena, or NULL while the cache is disabled or cannot be opened: each
 * function then answers as a disabled cache does. */
static zend_always_inline leveret_arena *apcu_begin(uint32_t *now)
{
	*now = apcu_now();
	php_leveret_looked();
	leveret_arena *arena = LEVERET_G(apcu_arena);
	return EXPECTED(arena) ? arena : php_leveret_apcu_arena();
}

/* Returns an operation's status, and notes a lost arena. */
static zend_always_inline leveret_status apcu_noticed(leveret_arena *arena, leveret_status status)
{
	if (UNEXPECTED(status == LEVERET_LOST)) {
		php_leveret_arena_lost(arena);
	}
	return status;
}

/* An item's ttl as apcu_store was given it: its deadline is one second later, see apcu_deadline. */
static inline zend_long apcu_ttl(const leveret_found *found)
{
	return found->deadline.second == LEVERET_NEVER ? 0 : (zend_long) found->deadline.second - found->mtime - 1;
}

/* Bytes of an item, for the mem_size fields: their sum is the cache's, except for large values. */
static inline zend_long apcu_mem_size(const leveret_found *found, size_t key_len)
{
	return (zend_long) leveret_item_size(found, key_len);
}

/* The deadline of an item stored now. */
uint32_t php_leveret_apcu_deadline(zend_long ttl, uint32_t now);
/* False: not stored, perhaps with an exception. Runs user code (__serialize). */
bool php_leveret_apcu_store_value(
	leveret_arena *arena, leveret_bytes key, zval *value, zend_long ttl, leveret_mode mode, uint32_t now);

void php_leveret_apcu_iterator_minit(int module_number);
/* apcu_delete($iterator): false with an exception when the object's constructor was not called. */
bool php_leveret_apcu_iterator_delete(zend_object *object);
extern zend_class_entry *php_leveret_apcu_iterator_ce;

#endif
