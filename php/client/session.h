/* client/session.h: what the session handlers share. */
#ifndef PHP_LEVERET_CLIENT_SESSION_H
#define PHP_LEVERET_CLIENT_SESSION_H

#include "php.h"
#include "leveret.h"

/* Type of the path argument of a session handler's open function. */
#if PHP_VERSION_ID >= 80600
#define PHP_LEVERET_SAVE_PATH ZSTR_VAL(save_path)
#else
#define PHP_LEVERET_SAVE_PATH save_path
#endif

/* Beside a session's lock, where that lies in an arena: it dies with its process. */
typedef struct client_session_lease {
	leveret_arena *arena; /* NULL: none is held */
	leveret_ticket ticket;
} client_session_lease;

/* Takes the lease of that name, if the pool is one arena. False: another process has it, and up to 20 ms have passed.
 * If no lease is free, only the lock counts, as on any server. */
bool php_leveret_client_session_lease_take(client_session_lease *lease, leveret_pool *pool, leveret_bytes name);
void php_leveret_client_session_lease_drop(client_session_lease *lease);

/* What each handler's session begins with: which one it is. The next one may lie where a freed one lay. */
typedef struct client_session_head {
	uint64_t number;
} client_session_head;

client_session_head php_leveret_client_session_begin(void);
/* Whether the session of that number is still open, after user code has run: it may have closed it, and opened another
 * one. */
bool php_leveret_client_session_is_open(void **mod_data, uint64_t number);

/* Waits until a moment of php_leveret_microseconds() for a lock that another one holds. False: the wait is over, since
 * PHP's time limit has come, or a signal's handler has thrown or has closed the session: then that is freed. Runs user
 * code. */
bool php_leveret_client_session_wait(void **mod_data, uint64_t until);

#endif
