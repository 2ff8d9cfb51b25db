/* base/arena.h: which arena, opened when first needed, by the user that runs the script. */
#ifndef PHP_LEVERET_BASE_ARENA_H
#define PHP_LEVERET_BASE_ARENA_H

#include "base/globals.h"
#include "base/refused.h"

/* The arena of the apcu module (leveret.apcu_arena, or a private one; sized by apc.shm_size), or NULL: then one log
 * line of this process has said why. */
leveret_arena *php_leveret_apcu_arena(void);
/* The arena NAME ("default", "arena:NAME", a path ending in .arena; NULL = leveret.arena) for Leveret\Cache, or NULL
 * with *error = a new string that says why and how to fix it. The handle is valid until the end of the request. */
leveret_arena *php_leveret_arena(zend_string *name, zend_string **error);
/* An operation returned LEVERET_LOST: from now on the two functions above open the arena again. The old handle returns
 * LOST until the end of the request, so a caller that keeps one must ask again. */
void php_leveret_arena_lost(leveret_arena *arena);

/* Returns the status of a store of `len` bytes. */
static zend_always_inline leveret_status php_leveret_stored(leveret_arena *arena, leveret_status status, size_t len)
{
	if (UNEXPECTED(status == LEVERET_NO_MEMORY)) {
		php_leveret_tell_no_memory(arena, len);
	}
	return status;
}

/* A pool of servers. Arenas among them are made and used as php.ini says (leveret.memory, leveret.lock_timeout). */
leveret_pool *php_leveret_pool_new(void);
void php_leveret_arenas_tell(
	void); /* one log line for an arena among them that could not be opened: no result code says why */

leveret_bytes php_leveret_dir(void); /* leveret.dir */
void php_leveret_place_changed(
	void); /* web servers may set anew for each request where apcu_* lies: one value for each site */
void php_leveret_arenas_check(void); /* one stat(2) each: an arena whose file is gone counts as lost */
void php_leveret_arenas_look(void);  /* the same, if it was not done in this second */
/* For each call that uses an arena: a request may last for days, so now and then it looks whether the files are still
 * those that others open. Gives the arena clock of the last look, for what must be as fresh as that and no fresher. */
static zend_always_inline uint32_t php_leveret_looked(void)
{
	if (UNEXPECTED(++LEVERET_G(calls) % 64 == 0)) {
		php_leveret_arenas_look();
	}
	return LEVERET_G(checked_at);
}
void php_leveret_leases_release(void); /* RSHUTDOWN: exit and fatal errors leave leases behind */
/* Between requests: closes lost arenas, after passing each to `forget`. */
void php_leveret_arenas_sweep(void (*forget)(leveret_arena *arena));
void php_leveret_arenas_close(zend_leveret_globals *globals); /* thread or process end */
void php_leveret_arena_info(void);      /* phpinfo rows of leveret.arena; opens no arena that is not there */
void php_leveret_apcu_arena_info(void); /* the same of apcu_* */
/* Whether apcu_* is private to this process and those forked from it: on the command line, unless leveret.apcu_cli
 * shares it. */
bool php_leveret_apcu_is_private(void);
/* MINIT, before any fork: each master of a web server counts as new; a command line has none, except for its own forks. */
void php_leveret_apcu_master_begin(void);
/* MINIT of the module apcu: what fills its arena when that was just made, or emptied by a restart. */
void php_leveret_apcu_fill_by(void (*fill)(leveret_arena *arena));
/* MINIT and MSHUTDOWN of a command line whose apcu_* is its own, and that of the processes forked from it. */
void php_leveret_apcu_begin_private(bool enabled);
void php_leveret_apcu_end_private(void);

#endif
