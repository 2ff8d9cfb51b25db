/* memcached/session.c: the session handler "memcached".
 *
 * A session is one item, "<prefix><id>", that lives session.gc_maxlifetime seconds. While a script has it open it holds
 * its lock, the item "<prefix>lock.<id>", which expires. Over an arena it takes a lease of that name first, which dies
 * with its process: a visitor that has the lease and finds a lock with a lease knows that its owner is dead. Visitors
 * that reach the same arena through a server see the item and no lease. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "base/basedir.h"
#include "base/clock.h"
#include "client/session.h"
#include "memcached.h"
#include "module.h"

#include "SAPI.h"
#include "ext/session/php_session.h"

typedef struct memc_session {
	client_session_head head;
	leveret_pool *pool;
	bool is_persistent;
	bool is_locked;
	bool is_unread; /* what its reading has not come to the end of is not written over, however that was left */
	client_session_lease lease;
	char lock_key[MEMC_KEY_MAX + 1];
	size_t lock_key_len;
} memc_session;

/* --- servers --- */

/* "host[:port[:weight]]", "tls://host[:port[:weight]]", "/path[:0[:weight]]", a socket's or an arena's, or
 * "arena:NAME". False: it makes no sense. */
static bool memc_add_server(leveret_pool *pool, const char *at, const char *end, bool is_weighted, bool is_script_s)
{
	char *rest;
	zend_long port = MEMC_PORT, weight = 0;
	bool is_socket = *at == '/', is_arena = strncmp(at, "arena:", strlen("arena:")) == 0;
	bool is_tls = strncmp(at, "tls://", strlen("tls://")) == 0;
	const char *name_at = is_tls ? at + strlen("tls://") : at;
	/* An IPv6 address has colons of its own. */
	const char *bracket = is_tls && *name_at == '[' ? memchr(name_at, ']', (size_t) (end - name_at)) : NULL,
			   *from = bracket ? bracket : name_at;
	const char *colon = is_arena ? NULL : memchr(from, ':', (size_t) (end - from)), *host_end = colon ? colon : end;
	leveret_bytes host = php_leveret_bytes(at, (size_t) (host_end - at));
	if (colon) {
		port = ZEND_STRTOL(colon + 1, &rest, 10);
		weight = *rest == ':' ? ZEND_STRTOL(rest + 1, NULL, 10) : 0;
	}
	if (is_arena || is_socket) {
		port = 0;
	}
	if (host.len == 0 && colon) {
		host = php_leveret_bytes("localhost", strlen("localhost"));
		port = port ? port : MEMC_PORT;
	}
	if (port < 0 || port > 65535 || host.len == 0 || (is_tls && host_end == name_at)) {
		return false;
	}
	weight = MAX(weight, 0);
	/* Not of PHP's heap: out of memory there would longjmp out of here, and leak the pool. */
	char url[MAXPATHLEN];
	if (is_socket) {
		int len = snprintf(url, sizeof(url), "unix://%.*s", (int) host.len, (const char *) host.data);
		if (len < 0 || (size_t) len >= sizeof(url)) {
			return false;
		}
		host = php_leveret_bytes(url, (size_t) len);
	}
	if (is_script_s && !php_leveret_may_add_quietly(host)) {
		return false;
	}
	/* Without weights the ring is that of libmemcached's lists of servers, which ignore weights. */
	return leveret_pool_add_server(
			   pool, host, (uint16_t) port, 0, is_weighted ? (uint32_t) weight : 0, php_leveret_dir())
		== MEMC_SUCCESS;
}

static bool is_weighted(void)
{
	return MEMCACHED_G(sess_consistent_hash) && strcmp(MEMCACHED_G(sess_consistent_hash_type), "ketama_weighted") == 0;
}

/* Servers are separated by commas; as in the original, text after a space is ignored. False: one of them is invalid. */
static bool memc_add_servers(leveret_pool *pool, const char *path, bool is_script_s)
{
	for (const char *at = path; *(at += strspn(at, ", \t")); at += strcspn(at, ",")) {
		if (!memc_add_server(pool, at, at + strcspn(at, ", \t"), is_weighted(), is_script_s)) {
			return false;
		}
	}
	return leveret_pool_servers(pool) > 0;
}

static void configure(leveret_pool *pool)
{
	enum { MD5 = 1 };
	if (is_weighted()) {
		leveret_pool_set_option(pool, LEVERET_POOL_HASH, MD5);
	}
	leveret_pool_set_option(pool, LEVERET_POOL_RING,
		!MEMCACHED_G(sess_consistent_hash) ? LEVERET_RING_MODULA
			: is_weighted()                ? LEVERET_RING_KETAMA
										   : LEVERET_RING_CONSISTENT);
	leveret_pool_set_option(pool, LEVERET_POOL_PROTOCOL, MEMCACHED_G(sess_binary_protocol));
	leveret_pool_set_option(pool, LEVERET_POOL_REPLICAS, MEMCACHED_G(sess_number_of_replicas));
	leveret_pool_set_option(pool, LEVERET_POOL_RANDOM_REPLICA, MEMCACHED_G(sess_randomize_replica_read));
	leveret_pool_set_option(pool, LEVERET_POOL_REMOVE_FAILED, MEMCACHED_G(sess_remove_failed_servers));
	if (MEMCACHED_G(sess_server_failure_limit)) {
		leveret_pool_set_option(pool, LEVERET_POOL_FAILURE_LIMIT, MEMCACHED_G(sess_server_failure_limit));
	}
	if (MEMCACHED_G(sess_connect_timeout)) {
		leveret_pool_set_option(pool, LEVERET_POOL_CONNECT_TIMEOUT_MS, MEMCACHED_G(sess_connect_timeout));
	}
}

/* libmemcached takes none that is longer, and pecl/memcached goes on without it: there its sessions are. */
#define PREFIX_MAX 127

static const char *prefix_of_sessions(void)
{
	return strlen(MEMCACHED_G(sess_prefix)) <= PREFIX_MAX ? MEMCACHED_G(sess_prefix) : "";
}

/* To libmemcached it is a prefix of its own: the server of a session depends on the rest of the key. */
static void memc_session_set_prefix(leveret_pool *pool)
{
	leveret_pool_set_prefix(pool, php_leveret_bytes(prefix_of_sessions(), strlen(prefix_of_sessions())));
}

/* --- requests --- */

/* "<prefix><id>" in `key`; 0 when it is too long. */
static size_t memc_session_name_of(const zend_string *id, const char *middle, char *key)
{
	int len = snprintf(key, MEMC_KEY_MAX + 1, "%s%s%s", prefix_of_sessions(), middle, ZSTR_VAL(id));
	return len > 0 && len <= MEMC_KEY_MAX ? (size_t) len : 0;
}

/* One request; its result code. An item lives `seconds`, or does not expire if they are not above 0. With `data` the value
 * that was found. */
static int memc_call(memc_session *session, leveret_operation operation, leveret_bytes key, leveret_bytes value,
	zend_long seconds, zend_string **data)
{
	leveret_answer answer;
	leveret_request request = {
		.operation = operation,
		.key = key,
		.value = value,
		.server = -1,
		.exptime = leveret_exptime_of_ttl(MAX(seconds, 0)),
		.meta = { .origin = LEVERET_PECL_MEMCACHED, .encoding = LEVERET_RAW },
	};
	int code = leveret_pool_call(session->pool, &request, &answer);
	if (code == MEMC_SUCCESS && data) {
		*data = zend_string_init((const char *) answer.value.data, answer.value.len, 0);
	}
	return code;
}

static int call_for(memc_session *session, leveret_operation operation, const zend_string *id, leveret_bytes value,
	zend_long seconds, zend_string **data)
{
	char key[MEMC_KEY_MAX + 1];
	size_t len = memc_session_name_of(id, "", key);
	return len ? memc_call(session, operation, php_leveret_bytes(key, len), value, seconds, data)
			   : MEMC_BAD_KEY_PROVIDED;
}

/* --- locks --- */

/* What the lock's item holds: pecl/memcached's word, or that it stands on a lease. */
static const char of_item[] = "1", of_lease[] = "lease";

/* IS_OVER: nothing is held, and the session may be gone. */
enum lock_try { LOCKED, HAS_NAPPED, IS_TAKEN, HAS_FAILED, IS_OVER };

static enum lock_try memc_try_lock(void **mod_data, zend_long seconds)
{
	memc_session *session = PS_GET_MOD_DATA();
	uint64_t number = session->head.number;
	leveret_bytes key = php_leveret_bytes(session->lock_key, session->lock_key_len);
	if (!php_leveret_client_session_lease_take(&session->lease, session->pool, key)) {
		return HAS_NAPPED;
	}
	bool has_lease = session->lease.arena;
	leveret_bytes word =
		has_lease ? php_leveret_bytes(of_lease, strlen(of_lease)) : php_leveret_bytes(of_item, strlen(of_item));
	int code = memc_call(session, LEVERET_OP_ADD, key, word, seconds, NULL);
	zend_string *found;
	if (code == MEMC_NOTSTORED && has_lease
		&& memc_call(session, LEVERET_OP_GET, key, php_leveret_bytes("", 0), 0, &found) == MEMC_SUCCESS) {
		if (zend_string_equals_cstr(found, of_lease, strlen(of_lease))) {
			code = memc_call(session, LEVERET_OP_SET, key, word, seconds, NULL);
		}
		zend_string_release(found);
	}
	if (code == MEMC_SUCCESS) {
		return LOCKED;
	}
	if (code == MEMC_NOTSTORED || code == MEMC_DATA_EXISTS) {
		return IS_TAKEN;
	}
	/* The script's handler of errors may close the session: then it is freed. */
	php_leveret_client_session_lease_drop(&session->lease);
	php_error_docref(NULL, E_WARNING, "Failed to write session lock: %s", php_leveret_memc_text(code));
	/* The next try may be another server's, if this one has left the ring. One that hangs was waited for long
	 * enough. */
	return code == MEMC_TIMEOUT || EG(exception) || !php_leveret_client_session_is_open(mod_data, number) ? IS_OVER
																										  : HAS_FAILED;
}

static bool memc_lock(void **mod_data, const zend_string *id)
{
	memc_session *session = PS_GET_MOD_DATA();
	zend_long pause = MEMCACHED_G(sess_lock_wait_min), pause_max = MEMCACHED_G(sess_lock_wait_max),
			  retries = MEMCACHED_G(sess_lock_retries);
	zend_long seconds = MEMCACHED_G(sess_lock_expire)
		? MEMCACHED_G(sess_lock_expire)
		: MAX(zend_ini_long("max_execution_time", strlen("max_execution_time"), 0), 0);
	session->lock_key_len = memc_session_name_of(id, "lock.", session->lock_key);
	if (!session->lock_key_len) {
		php_error_docref(
			NULL, E_WARNING, "Failed to write session lock: %s", php_leveret_memc_text(MEMC_BAD_KEY_PROVIDED));
		return false;
	}
	for (;; retries--, pause = MIN(2 * pause, pause_max)) {
		uint64_t round_end = php_leveret_microseconds() + (uint64_t) pause * 1000;
		enum lock_try tried;
		/* Naps wake up when the lease is given back, so they fill the pause with further tries. */
		while ((tried = memc_try_lock(mod_data, seconds)) == HAS_NAPPED && php_leveret_microseconds() < round_end) {
			if (!php_leveret_client_session_wait(mod_data, 0)) {
				return false;
			}
		}
		if (tried == LOCKED) {
			return session->is_locked = true;
		}
		if (tried == IS_OVER) {
			return false;
		}
		if (retries <= 0) {
			break;
		}
		if (tried != HAS_FAILED && !php_leveret_client_session_wait(mod_data, round_end)) {
			return false;
		}
	}
	php_leveret_client_session_lease_drop(&session->lease);
	return false;
}

static int delete_lock(memc_session *session)
{
	return memc_call(session, LEVERET_OP_DELETE, php_leveret_bytes(session->lock_key, session->lock_key_len),
		php_leveret_bytes("", 0), 0, NULL);
}

static void memc_unlock(memc_session *session)
{
	/* A server that has failed since may be there again: a lock that stays would keep the visitor out for longer than
	 * that rest lasts. */
	if (session->is_locked && delete_lock(session) == MEMC_SERVER_TEMPORARILY_DISABLED) {
		for (uint32_t i = 0; i < leveret_pool_servers(session->pool); i++) {
			leveret_pool_mark_server(session->pool, i, 1, 0);
		}
		delete_lock(session);
	}
	session->is_locked = false;
	php_leveret_client_session_lease_drop(&session->lease);
}

/* --- the handler --- */

/* Persistent pools: where arenas lie and the save path -> pool, as long as the process lives. */
static void memc_free_pool(zval *entry)
{
	leveret_pool_free(Z_PTR_P(entry));
}

/* Credentials for servers, in the binary protocol, which the original then selects by itself. */
static bool memc_sign_in(leveret_pool *pool)
{
	const char *user = MEMCACHED_G(sess_sasl_username), *password = MEMCACHED_G(sess_sasl_password);
	if (!user || !password || !*user || !*password) {
		return true;
	}
	leveret_pool_set_option(pool, LEVERET_POOL_PROTOCOL, LEVERET_PROTOCOL_BINARY);
	return leveret_pool_set_credentials(
			   pool, -1, php_leveret_bytes(user, strlen(user)), php_leveret_bytes(password, strlen(password)), 0)
		== MEMC_SUCCESS;
}

static leveret_pool *memc_new_pool(const char *path, bool is_script_s)
{
	leveret_pool *pool = php_leveret_pool_new();
	configure(pool);
	if (memc_add_servers(pool, path, is_script_s) && memc_sign_in(pool)) {
		return pool;
	}
	leveret_pool_free(pool);
	return NULL;
}

static leveret_pool *persistent_pool(const char *path, bool is_script_s)
{
	HashTable *pools = &MEMCACHED_G(session_pools);
	/* A script may not come by the arena of php.ini's path, though it names the same one. */
	zend_string *whose = zend_strpprintf(0, "%c%s", is_script_s ? 's' : 'a', path);
	zend_string *name = php_leveret_memc_persistent_name(ZSTR_VAL(whose), ZSTR_LEN(whose));
	zend_string_release(whose);
	leveret_pool *pool = zend_hash_find_ptr(pools, name);
	if (!pool && (pool = memc_new_pool(path, is_script_s))) {
		zend_hash_str_add_ptr(pools, ZSTR_VAL(name), ZSTR_LEN(name), pool);
	}
	zend_string_release(name);
	return pool;
}

PS_CLOSE_FUNC(memcached)
{
	memc_session *session = PS_GET_MOD_DATA();
	if (session) {
		memc_unlock(session);
		if (!session->is_persistent) {
			leveret_pool_free(session->pool);
		}
		efree(session);
		PS_SET_MOD_DATA(NULL);
	}
	return SUCCESS;
}

PS_OPEN_FUNC(memcached)
{
	/* session_reset() opens again without closing. */
	ps_close_memcached(mod_data);
	/* As it was written for version 2. */
	if (strstr(PHP_LEVERET_SAVE_PATH, "PERSISTENT=")) {
		php_error_docref(NULL, E_WARNING,
			"failed to parse session.save_path: PERSISTENT is replaced by memcached.sess_persistent = On");
		return FAILURE;
	}
	bool is_persistent = MEMCACHED_G(sess_persistent);
	/* Before there is a pool: where PHP's heap is full it jumps out of here. */
	memc_session *session = ecalloc(1, sizeof(*session));
	bool is_script_s = php_leveret_directive_is_changed("session.save_path");
	leveret_pool *pool = is_persistent ? persistent_pool(PHP_LEVERET_SAVE_PATH, is_script_s)
									   : memc_new_pool(PHP_LEVERET_SAVE_PATH, is_script_s);
	if (!pool) {
		efree(session);
		php_error_docref(NULL, E_WARNING,
			"failed to parse session.save_path: \"%s\" should be host:port,host:port, the path of a socket, or arena:NAME; open_basedir holds for paths of arenas",
			PHP_LEVERET_SAVE_PATH);
		return FAILURE;
	}
	memc_session_set_prefix(pool);
	session->head = php_leveret_client_session_begin();
	session->pool = pool;
	session->is_persistent = is_persistent;
	PS_SET_MOD_DATA(session);
	return SUCCESS;
}

PS_READ_FUNC(memcached)
{
	memc_session *session = PS_GET_MOD_DATA();
	if (!session) {
		php_error_docref(NULL, E_WARNING, "Session is not allocated, check session.save_path value");
		return FAILURE;
	}
	session->is_unread = true;
	if (MEMCACHED_G(sess_locking)) {
		memc_unlock(session);
		/* The script's handler of errors may take another id. */
		zend_string_addref(key);
		bool is_locked = memc_lock(mod_data, key);
		zend_string_release(key);
		if (!is_locked) {
			php_error_docref(NULL, E_WARNING, "Unable to clear session lock record");
			return FAILURE;
		}
	}
	int code = call_for(session, LEVERET_OP_GET, key, php_leveret_bytes("", 0), 0, val);
	if (code == MEMC_NOTFOUND) {
		*val = ZSTR_EMPTY_ALLOC();
	}
	if (code == MEMC_SUCCESS || code == MEMC_NOTFOUND) {
		session->is_unread = false;
		return SUCCESS;
	}
	php_error_docref(NULL, E_WARNING, "error getting session from memcached: %s", php_leveret_memc_text(code));
	return FAILURE;
}

PS_WRITE_FUNC(memcached)
{
	memc_session *session = PS_GET_MOD_DATA();
	if (!session) {
		php_error_docref(NULL, E_WARNING, "Session is not allocated, check session.save_path value");
		return FAILURE;
	}
	if (session->is_unread) {
		return FAILURE;
	}
	int code = MEMC_FAILURE;
	zend_long retries = MEMCACHED_G(sess_number_of_replicas) + MEMCACHED_G(sess_server_failure_limit);
	for (zend_long tries = 0; tries <= retries; tries++) {
		code = call_for(session, LEVERET_OP_SET, key, php_leveret_string(val), maxlifetime, NULL);
		if (code == MEMC_SUCCESS) {
			return SUCCESS;
		}
	}
	php_error_docref(NULL, E_WARNING, "error saving session to memcached: %s", php_leveret_memc_text(code));
	return FAILURE;
}

PS_DESTROY_FUNC(memcached)
{
	memc_session *session = PS_GET_MOD_DATA();
	if (!session) {
		return FAILURE;
	}
	int code = call_for(session, LEVERET_OP_DELETE, key, php_leveret_bytes("", 0), 0, NULL);
	memc_unlock(session);
	/* A failed log-out must be reported. */
	return code == MEMC_SUCCESS || code == MEMC_NOTFOUND ? SUCCESS : FAILURE;
}

/* Items expire by themselves. As in the original their number is unknown: session_gc() is false. */
PS_GC_FUNC(memcached)
{
	*nrdels = -1;
	return 0;
}

PS_CREATE_SID_FUNC(memcached)
{
	memc_session *session = PS_GET_MOD_DATA();
	for (int tries = 0; tries < 3; tries++) {
		zend_string *id = php_session_create_id(NULL);
		/* A server that does not answer is not asked again and again: its answer would only confirm that these random
		 * bits are unused. */
		if (!session || !id
			|| call_for(session, LEVERET_OP_GET, id, php_leveret_bytes("", 0), 0, NULL) != MEMC_SUCCESS) {
			return id;
		}
		zend_string_release(id);
	}
	return php_session_create_id(NULL);
}

PS_VALIDATE_SID_FUNC(memcached)
{
	memc_session *session = PS_GET_MOD_DATA();
	/* A visitor whose server does not answer keeps its id: otherwise it would get another one as a cookie, and lose its
	 * session. */
	return session && php_session_valid_key(ZSTR_VAL(key)) == SUCCESS
			&& call_for(session, LEVERET_OP_GET, key, php_leveret_bytes("", 0), 0, NULL) != MEMC_NOTFOUND
		? SUCCESS
		: FAILURE;
}

/* Nothing has changed: the session only lives longer. */
PS_UPDATE_TIMESTAMP_FUNC(memcached)
{
	memc_session *session = PS_GET_MOD_DATA();
	if (!session) {
		return FAILURE;
	}
	int code = call_for(session, LEVERET_OP_TOUCH, key, php_leveret_bytes("", 0), maxlifetime, NULL);
	/* Another request may have ended it meanwhile: a visitor who has logged out stays logged out. */
	return code == MEMC_SUCCESS || code == MEMC_NOTFOUND ? SUCCESS : FAILURE;
}

ps_module ps_mod_memcached = { PS_MOD_UPDATE_TIMESTAMP(memcached) };

void php_leveret_memcached_session(void)
{
	php_session_register_module(&ps_mod_memcached);
}

void php_leveret_memcached_session_init(HashTable *pools)
{
	zend_hash_init(pools, 2, NULL, memc_free_pool, 1);
}
