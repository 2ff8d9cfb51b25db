/* redis/session_store.h: the servers of a session: requests to them, its lock, and how it is written. */
#ifndef PHP_LEVERET_REDIS_SESSION_STORE_H
#define PHP_LEVERET_REDIS_SESSION_STORE_H

#include "client/session.h"
#include "redis.h"

typedef struct redis_session_server {
	leveret_redis *link;
	zend_string *prefix;
	uint32_t weight;
	uint64_t asked_at;
	bool is_late;
} redis_session_server;

typedef struct redis_session {
	client_session_head head;
	redis_session_server *servers;
	uint32_t count, weights;
	int compression;
	redis_session_server *locked; /* where the lock is held, NULL: none is */
	zend_string *lock_key;
	char secret[320];
	bool is_unread; /* what its reading has not come to the end of is not written over, however that was left */
} redis_session;

/* Where a session lies, and by which key: released by the caller. */
redis_session_server *php_leveret_redis_session_server(const redis_session *session, const zend_string *id);
zend_string *php_leveret_redis_session_key(const redis_session_server *server, const zend_string *id, const char *tail);

/* The last thing that a function does: the script's handler of errors may close the session. Why is told by the reply,
 * which is freed, or by the link. */
void php_leveret_redis_session_warn(const redis_session_server *server, const char *what, redis_node *reply);
#define REDIS_SESSION_AWAY "Error communicating with Redis server"

/* Holds the lock of `id`, if locks are held at all. `*has_value`: `reply` is the session, which was asked for in the
 * same round trip. False: a warning has told why not, or PHP has to do something else; the session may be gone. */
bool php_leveret_redis_session_lock(void **mod_data, redis_session_server *server, const zend_string *id,
	const zend_string *key, bool *has_value, redis_node *reply);
/* NULL, or the server that has failed: `reply` or its link tells why. */
redis_session_server *php_leveret_redis_session_unlock(redis_session *session, redis_node *reply);
void php_leveret_redis_session_forget_lock(redis_session *session);

/* One request and its reply, which the caller frees. False: the link tells why. */
bool php_leveret_redis_session_read(redis_session_server *server, const zend_string *key, redis_node *reply);
bool php_leveret_redis_session_delete(redis_session_server *server, const zend_string *key, redis_node *reply);
bool php_leveret_redis_session_exists(redis_session_server *server, const zend_string *key, redis_node *reply);
bool php_leveret_redis_session_touch(
	redis_session_server *server, const zend_string *key, zend_long lifetime, redis_node *reply);

/* REDIS_UNLOCKED: locks are held, and not this one. REDIS_EXPIRED: it is another one's by now, or nobody's.
 * REDIS_REFUSED: the reply tells why; REDIS_AWAY: the link. */
typedef enum redis_written { REDIS_WRITTEN, REDIS_UNLOCKED, REDIS_EXPIRED, REDIS_REFUSED, REDIS_AWAY } redis_written;
redis_written php_leveret_redis_session_write(redis_session *session, redis_session_server *server,
	const zend_string *id, leveret_bytes value, zend_long lifetime, redis_node *reply);

#endif
