/* redis/session_store.c: requests to the servers of a session, its lock, and how it is written.
 *
 * A lock's value tells its holder: host, process and, unlike php-redis, which visit it is, since threads of one process
 * are different visitors. A lock may expire while its holder works. So what is written is written in a transaction that
 * watches the lock, and only if the lock is still the holder's. No exception is thrown here: PHP writes sessions after
 * the script. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/clock.h"
#include "module.h"
#include "session_store.h"

#include "ext/session/php_session.h"

#include <unistd.h>

#define PREFIX_DEFAULT "PHPREDIS_SESSION:"
#define LOCK_RETRIES_DEFAULT 100
#define LOCK_WAIT_DEFAULT 20000
#define LIFETIME_DEFAULT 1440

/* A server that took so long to fail is not asked again in this visit. */
#define LATE_US 1000000

/* --- requests --- */

static leveret_bytes word(const char *text)
{
	return php_leveret_bytes(text, strlen(text));
}

#define REQUEST(server, ...) \
	request(server, (const leveret_bytes[]) { __VA_ARGS__ }, \
		sizeof((const leveret_bytes[]) { __VA_ARGS__ }) / sizeof(leveret_bytes))

/* What is queued goes where the link refuses a part: half a transaction would be sent with the next request. */
static bool request(redis_session_server *server, const leveret_bytes *words, size_t count)
{
	bool is_queued = !server->is_late && leveret_redis_request(server->link, words, count, 0) == LEVERET_REDIS_OK;
	if (!is_queued) {
		leveret_redis_drop(server->link);
	}
	return is_queued;
}

static bool is_ok(redis_session_server *server, leveret_redis_code code)
{
	if (code != LEVERET_REDIS_OK) {
		server->is_late = php_leveret_microseconds() - server->asked_at > LATE_US;
	}
	return code == LEVERET_REDIS_OK;
}

static bool send_all(redis_session_server *server, uint64_t *turn)
{
	server->asked_at = php_leveret_microseconds();
	return is_ok(server, leveret_redis_flush(server->link, turn));
}

/* The next reply, or an array's head: its elements are the next ones. A value is copied where `has_text`. False: the
 * connection has failed. */
static bool next_reply(redis_session_server *server, uint64_t turn, bool has_text, redis_node *reply)
{
	leveret_redis_token token;
	memset(reply, 0, sizeof(*reply));
	if (!is_ok(server, leveret_redis_next(server->link, turn, &token))) {
		return false;
	}
	reply->kind = token.kind;
	reply->number = token.number;
	bool is_short = token.kind == LEVERET_REDIS_ERROR || token.kind == LEVERET_REDIS_STATUS;
	if (is_short || (has_text && token.kind == LEVERET_REDIS_BULK)) {
		reply->text = zend_string_alloc(token.text.len, 0);
		ZSTR_VAL(reply->text)[token.text.len] = '\0';
		if (is_short) {
			memcpy(ZSTR_VAL(reply->text), token.text.data, token.text.len);
		} else if (!is_ok(
					   server, leveret_redis_copy(server->link, turn, ZSTR_VAL(reply->text), ZSTR_LEN(reply->text)))) {
			php_leveret_redis_node_free(reply);
			return false;
		}
	}
	return true;
}

static bool send_one(redis_session_server *server, bool has_text, redis_node *reply)
{
	uint64_t turn;
	return send_all(server, &turn) && next_reply(server, turn, has_text, reply);
}

static bool is_status(const redis_node *reply, const char *text)
{
	return reply->kind == LEVERET_REDIS_STATUS
		&& zend_binary_strcmp(ZSTR_VAL(reply->text), ZSTR_LEN(reply->text), text, strlen(text)) == 0;
}

void php_leveret_redis_session_warn(const redis_session_server *server, const char *what, redis_node *reply)
{
	leveret_bytes told = reply && reply->text ? php_leveret_string(reply->text)
		: reply                               ? word("an unexpected reply")
											  : leveret_redis_error(server->link);
	zend_string *why = zend_string_init((const char *) told.data, told.len, 0);
	if (reply) {
		php_leveret_redis_node_free(reply);
	}
	php_error_docref(NULL, E_WARNING, "%s: %s", what, ZSTR_VAL(why));
	zend_string_release(why);
}

static const char of_lock[] = "Failed to acquire session lock";

/* --- servers and keys --- */

/* As php-redis: the last server of the path comes first. */
redis_session_server *php_leveret_redis_session_server(const redis_session *session, const zend_string *id)
{
	uint32_t place = 0;
	memcpy(&place, ZSTR_VAL(id), MIN(ZSTR_LEN(id), sizeof(place)));
	place %= session->weights;
	for (uint32_t i = session->count - 1; i > 0; i--) {
		if (place < session->servers[i].weight) {
			return &session->servers[i];
		}
		place -= session->servers[i].weight;
	}
	return &session->servers[0];
}

zend_string *php_leveret_redis_session_key(const redis_session_server *server, const zend_string *id, const char *tail)
{
	const char *prefix = server->prefix ? ZSTR_VAL(server->prefix) : PREFIX_DEFAULT;
	size_t prefix_len = server->prefix ? ZSTR_LEN(server->prefix) : strlen(PREFIX_DEFAULT);
	return zend_string_concat3(prefix, prefix_len, ZSTR_VAL(id), ZSTR_LEN(id), tail, strlen(tail));
}

static leveret_bytes seconds_text(zend_long seconds, char *room, size_t size)
{
	seconds = seconds > 0 ? MIN(seconds, INT_MAX) : LIFETIME_DEFAULT;
	return php_leveret_bytes(room, (size_t) snprintf(room, size, ZEND_LONG_FMT, seconds));
}

/* --- the lock --- */

/* What php-redis sends, so that its servers and ours know the script by its SHA1. */
#define RELEASE_SCRIPT \
	"if redis.call(\"get\",KEYS[1]) == ARGV[1] then return redis.call(\"del\",KEYS[1]) else return 0 end"
#define RELEASE_SHA "b70c2384248f88e6b75b9f89241a180f856ad852"

static void make_secret(redis_session *session)
{
	static uint64_t visits; /* of all threads */
	char host[256] = "";
	gethostname(host, sizeof(host) - 1);
	/* Containers may have one name and the same process ids, hence the clock. */
	snprintf(session->secret, sizeof(session->secret), "%s|%ld|%" PRIu64 "|%" PRIu64, host, (long) getpid(),
		__atomic_add_fetch(&visits, 1, __ATOMIC_RELAXED), php_leveret_microseconds());
}

void php_leveret_redis_session_forget_lock(redis_session *session)
{
	session->locked = NULL;
	php_leveret_redis_keep(&session->lock_key, NULL);
}

redis_session_server *php_leveret_redis_session_unlock(redis_session *session, redis_node *reply)
{
	redis_session_server *server = session->locked;
	memset(reply, 0, sizeof(*reply));
	if (!server) {
		return NULL;
	}
	leveret_bytes key = php_leveret_string(session->lock_key);
	bool is_told = REQUEST(server, word("EVALSHA"), word(RELEASE_SHA), word("1"), key, word(session->secret))
		&& send_one(server, false, reply);
	if (is_told && reply->kind == LEVERET_REDIS_ERROR) {
		php_leveret_redis_node_free(reply);
		is_told = REQUEST(server, word("EVAL"), word(RELEASE_SCRIPT), word("1"), key, word(session->secret))
			&& send_one(server, false, reply);
	}
	php_leveret_redis_session_forget_lock(session);
	return is_told && reply->kind == LEVERET_REDIS_INT ? NULL : server;
}

/* HAS_FAILED: a reply says why, or the link. */
typedef enum redis_lock_try { LOCKED, IS_TAKEN, HAS_FAILED } redis_lock_try;

static redis_lock_try tried(redis_session *session, redis_session_server *server, redis_node *reply)
{
	if (is_status(reply, "OK")) {
		session->locked = server;
		php_leveret_redis_node_free(reply);
		return LOCKED;
	}
	return reply->kind == LEVERET_REDIS_NIL ? IS_TAKEN : HAS_FAILED;
}

static bool request_lock(const redis_session *session, redis_session_server *server)
{
	char text[32];
	zend_long seconds = REDIS_G(lock_expire) ? REDIS_G(lock_expire)
											 : zend_ini_long("max_execution_time", strlen("max_execution_time"), 0);
	leveret_bytes key = php_leveret_string(session->lock_key);
	if (seconds <= 0) {
		return REQUEST(server, word("SET"), key, word(session->secret), word("NX"));
	}
	snprintf(text, sizeof(text), ZEND_LONG_FMT "000", MIN(seconds, INT_MAX));
	return REQUEST(server, word("SET"), key, word(session->secret), word("NX"), word("PX"), word(text));
}

static bool request_value(redis_session_server *server, const zend_string *key)
{
	char text[32];
	if (!REDIS_G(early_refresh)) {
		return REQUEST(server, word("GET"), php_leveret_string(key));
	}
	zend_long lifetime = zend_ini_long("session.gc_maxlifetime", strlen("session.gc_maxlifetime"), 0);
	return REQUEST(
		server, word("GETEX"), php_leveret_string(key), word("EX"), seconds_text(lifetime, text, sizeof(text)));
}

/* The lock, and in the same round trip the value, which `reply` is if it is LOCKED and `*has_value`. */
static redis_lock_try lock_and_read(
	redis_session *session, redis_session_server *server, const zend_string *key, bool *has_value, redis_node *reply)
{
	uint64_t turn;
	if (!request_lock(session, server) || (*has_value && !request_value(server, key)) || !send_all(server, &turn)
		|| !next_reply(server, turn, false, reply)) {
		return HAS_FAILED;
	}
	redis_lock_try outcome = tried(session, server, reply);
	if (outcome == LOCKED && *has_value) {
		*has_value = next_reply(server, turn, true, reply);
		return *has_value ? LOCKED : HAS_FAILED;
	}
	if (*has_value) {
		redis_node passed;
		next_reply(server, turn, false, &passed);
		php_leveret_redis_node_free(&passed);
	}
	*has_value = false;
	return outcome;
}

/* Waits for the lock. */
static bool redis_lock(
	void **mod_data, redis_session_server *server, const zend_string *key, bool *has_value, redis_node *reply)
{
	redis_session *session = PS_GET_MOD_DATA();
	zend_long retries = REDIS_G(lock_retries) ? REDIS_G(lock_retries) : LOCK_RETRIES_DEFAULT;
	zend_long pause = REDIS_G(lock_wait_time) > 0 ? MIN(REDIS_G(lock_wait_time), INT_MAX) : LOCK_WAIT_DEFAULT;
	*has_value = true;
	for (zend_long tries = 0;; tries++) {
		switch (lock_and_read(session, server, key, has_value, reply)) {
			case LOCKED:
				return true;
			case HAS_FAILED:
				php_leveret_redis_session_warn(server, of_lock, reply->text ? reply : NULL);
				return false;
			case IS_TAKEN:
				break;
		}
		if (retries != -1 && tries >= retries) {
			php_error_docref(NULL, E_WARNING, "%s", of_lock);
			return false;
		}
		if (!php_leveret_client_session_wait(mod_data, php_leveret_microseconds() + (uint64_t) pause)) {
			return false;
		}
		/* Others wait too: what they would be told of the value is wasted. */
		*has_value = false;
	}
}

bool php_leveret_redis_session_lock(void **mod_data, redis_session_server *server, const zend_string *id,
	const zend_string *key, bool *has_value, redis_node *reply)
{
	redis_session *session = PS_GET_MOD_DATA();
	*has_value = false;
	if (!REDIS_G(locking_enabled)) {
		return true;
	}
	zend_string *lock_key = php_leveret_redis_session_key(server, id, "_LOCK");
	if (session->locked == server && zend_string_equals(session->lock_key, lock_key)) {
		zend_string_release(lock_key);
		return true;
	}
	php_leveret_redis_session_unlock(session, reply);
	php_leveret_redis_node_free(reply);
	php_leveret_redis_keep(&session->lock_key, lock_key);
	make_secret(session);
	return redis_lock(mod_data, server, key, has_value, reply);
}

/* --- writing --- */

static bool request_write(redis_session_server *server, const zend_string *key, zend_long lifetime, leveret_bytes value)
{
	char text[32];
	return REQUEST(server, word("SETEX"), php_leveret_string(key), seconds_text(lifetime, text, sizeof(text)), value);
}

static redis_written written(const redis_node *reply)
{
	return is_status(reply, "OK") ? REDIS_WRITTEN : REDIS_REFUSED;
}

/* Watches the lock, if the server can: `*is_watched`. REDIS_EXPIRED: it is another one's, or nobody's. */
static redis_written look_at_lock(redis_session *session, bool *is_watched, redis_node *reply)
{
	uint64_t turn;
	redis_session_server *server = session->locked;
	leveret_bytes key = php_leveret_string(session->lock_key);
	if (!REQUEST(server, word("WATCH"), key) || !REQUEST(server, word("GET"), key) || !send_all(server, &turn)
		|| !next_reply(server, turn, false, reply)) {
		return REDIS_AWAY;
	}
	*is_watched = is_status(reply, "OK");
	php_leveret_redis_node_free(reply);
	if (!next_reply(server, turn, true, reply)) {
		return REDIS_AWAY;
	}
	if (reply->kind == LEVERET_REDIS_ERROR) {
		return REDIS_REFUSED;
	}
	bool is_held = reply->kind == LEVERET_REDIS_BULK
		&& zend_string_equals_cstr(reply->text, session->secret, strlen(session->secret));
	php_leveret_redis_node_free(reply);
	return is_held ? REDIS_WRITTEN : REDIS_EXPIRED;
}

static redis_written write_locked(
	redis_session *session, const zend_string *key, zend_long lifetime, leveret_bytes value, redis_node *reply)
{
	uint64_t turn;
	redis_session_server *server = session->locked;
	bool is_watched = false;
	redis_written looked = look_at_lock(session, &is_watched, reply);
	if (looked != REDIS_WRITTEN) {
		return looked;
	}
	if (!is_watched) {
		/* A proxy, or a user who may not: what php-redis does. */
		return request_write(server, key, lifetime, value) && send_one(server, false, reply) ? written(reply)
																							 : REDIS_AWAY;
	}
	if (!REQUEST(server, word("MULTI")) || !request_write(server, key, lifetime, value)
		|| !REQUEST(server, word("EXEC")) || !send_all(server, &turn)) {
		return REDIS_AWAY;
	}
	/* Of MULTI, SETEX and EXEC; the first error tells why. All are read, since the lock is still to be given back. */
	redis_node error = { 0 };
	for (int i = 0; i < 3; i++) {
		php_leveret_redis_node_free(reply);
		if (!next_reply(server, turn, false, reply)) {
			php_leveret_redis_node_free(&error);
			return REDIS_AWAY;
		}
		if (reply->kind == LEVERET_REDIS_ERROR && !error.text) {
			error = *reply;
			memset(reply, 0, sizeof(*reply));
		}
	}
	if (error.text) {
		php_leveret_redis_node_free(reply);
		*reply = error;
		return REDIS_REFUSED;
	}
	if (reply->kind == LEVERET_REDIS_NIL_ARRAY || reply->kind == LEVERET_REDIS_NIL) {
		return REDIS_EXPIRED;
	}
	if (reply->kind != LEVERET_REDIS_ARRAY || reply->number != 1) {
		return REDIS_REFUSED;
	}
	return next_reply(server, turn, false, reply) ? written(reply) : REDIS_AWAY;
}

redis_written php_leveret_redis_session_write(redis_session *session, redis_session_server *server,
	const zend_string *id, leveret_bytes value, zend_long lifetime, redis_node *reply)
{
	redis_written done;
	zend_string *key = php_leveret_redis_session_key(server, id, "");
	memset(reply, 0, sizeof(*reply));
	if (session->locked) {
		/* Key and lock are of one session. */
		bool is_its = session->locked == server && ZSTR_LEN(session->lock_key) == ZSTR_LEN(key) + strlen("_LOCK")
			&& memcmp(ZSTR_VAL(session->lock_key), ZSTR_VAL(key), ZSTR_LEN(key)) == 0;
		done = is_its ? write_locked(session, key, lifetime, value, reply) : REDIS_UNLOCKED;
		if (done == REDIS_EXPIRED) {
			php_leveret_redis_session_forget_lock(session);
		}
	} else if (REDIS_G(locking_enabled)) {
		done = REDIS_UNLOCKED;
	} else {
		done =
			request_write(server, key, lifetime, value) && send_one(server, false, reply) ? written(reply) : REDIS_AWAY;
	}
	zend_string_release(key);
	return done;
}

/* --- requests of one reply --- */

bool php_leveret_redis_session_read(redis_session_server *server, const zend_string *key, redis_node *reply)
{
	return request_value(server, key) && send_one(server, true, reply);
}

bool php_leveret_redis_session_delete(redis_session_server *server, const zend_string *key, redis_node *reply)
{
	return REQUEST(server, word("DEL"), php_leveret_string(key)) && send_one(server, false, reply);
}

bool php_leveret_redis_session_exists(redis_session_server *server, const zend_string *key, redis_node *reply)
{
	return REQUEST(server, word("EXISTS"), php_leveret_string(key)) && send_one(server, false, reply);
}

bool php_leveret_redis_session_touch(
	redis_session_server *server, const zend_string *key, zend_long lifetime, redis_node *reply)
{
	char text[32];
	leveret_bytes seconds = seconds_text(lifetime, text, sizeof(text));
	return REQUEST(server, word("EXPIRE"), php_leveret_string(key), seconds) && send_one(server, false, reply);
}
