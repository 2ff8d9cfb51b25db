/* client/session.c: the lease under a session's lock, and waiting for that lock. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "base/clock.h"
#include "session.h"

bool php_leveret_client_session_lease_take(client_session_lease *lease, leveret_pool *pool, leveret_bytes name)
{
	leveret_arena *arena = lease->arena ? NULL : leveret_pool_arena(pool, php_leveret_looked());
	if (arena) {
		leveret_status status = leveret_lease_hold(arena, name, &lease->ticket);
		if (status == LEVERET_WAIT) {
			return false;
		}
		lease->arena = status == LEVERET_OK ? arena : NULL;
	}
	return true;
}

void php_leveret_client_session_lease_drop(client_session_lease *lease)
{
	if (lease->arena) {
		leveret_lease_release(lease->arena, &lease->ticket);
	}
	lease->arena = NULL;
}

client_session_head php_leveret_client_session_begin(void)
{
	ZEND_TLS uint64_t last;
	return (client_session_head) { .number = ++last };
}

bool php_leveret_client_session_is_open(void **mod_data, uint64_t number)
{
	const client_session_head *head = *mod_data;
	return head && head->number == number;
}

bool php_leveret_client_session_wait(void **mod_data, uint64_t until)
{
	uint64_t number = ((const client_session_head *) *mod_data)->number;
	for (;;) {
		/* The error of the time limit jumps out of here, and PHP would write an empty session over the one that was not
		 * read. It raises it when the session has failed to start. */
		if (zend_atomic_bool_load_ex(&EG(timed_out)) || php_leveret_interrupted()
			|| !php_leveret_client_session_is_open(mod_data, number)) {
			return false;
		}
		uint64_t now = php_leveret_microseconds();
		if (now >= until) {
			return true;
		}
		usleep((useconds_t) MIN(until - now, 500000));
	}
}
