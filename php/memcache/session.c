/* memcache/session.c: the session handler "memcache".
 *
 * A session is one item, "<id>", compressed as the class compresses its values, that lives session.gc_maxlifetime
 * seconds. Beside it lies "<id>.lock", a number that every visitor counts up: the one who made it 1 holds the lock, and
 * sets it to 0 when he has written. It lives memcache.lock_timeout seconds, so that a dead visitor blocks no other one for
 * longer.
 *
 * On an arena the holder also holds a lease, which dies with its process. Then the number begins at LEASED: whoever
 * gets the lease and finds such a number knows that its creator is dead. Visitors without the arena see a number above 1,
 * and wait. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/basedir.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "client/session.h"
#include "memcache.h"
#include "module.h"

#include "SAPI.h"
#include "ext/session/php_session.h"
#include "ext/standard/url.h"

#define LEASED (UINT64_C(1) << 40)

/* Between two looks at a lock that another one holds. */
#define PAUSE_MIN_US 5000
#define PAUSE_MAX_US 160000

typedef struct mmc_session {
	client_session_head head;
	mmc_link *link;
	zend_string *lock_key;
	bool is_locked;
	bool is_unread;     /* what its reading has not come to the end of is not written over, however that was left */
	zend_string *group; /* the session's key: its lock lies on the same servers */
	client_session_lease lease;
} mmc_session;

/* --- servers --- */

/* "weight=2&timeout=1": false: a value makes no sense. Words of others are passed over. */
static bool read_query(const char *at, const char *end, mmc_server *server)
{
	while (at < end) {
		size_t len = strcspn(at, "&, \t");
		len = MIN(len, (size_t) (end - at));
		const char *equals = memchr(at, '=', len);
		size_t name_len = equals ? (size_t) (equals - at) : len;
		double value = equals ? zend_strtod(equals + 1, NULL) : 0;
#define IS(word) php_leveret_is_word(at, name_len, word)
		if (IS("persistent")) {
			server->is_persistent = value != 0;
		} else if (IS("weight")) {
			server->weight = value >= 1 && value <= INT32_MAX ? (zend_long) value : 0;
		} else if (IS("timeout")) {
			server->timeout = value;
		} else if (IS("retry_interval")) {
			server->retry = (zend_long) value;
		} else if (IS("udp_port")) {
			server->udp_port = value >= 0 && value <= 65535 ? (zend_long) value : 0;
		}
#undef IS
		at += len + 1;
	}
	return server->weight > 0 && server->timeout > 0;
}

static mmc_server default_server(void)
{
	return (mmc_server) {
		.port = MEMCACHE_G(default_port),
		.weight = 1,
		.timeout = 1,
		.retry = 15,
		.is_persistent = true,
	};
}

/* pecl/memcache warns about an invalid URL, and silently refuses a URL without a server. */
typedef enum add_result { IS_ADDED, IS_NO_URL, IS_NO_SERVER } add_result;

/* "tcp://host:port?query", or "tls://" for TLS, read as pecl/memcache does: as a URL, of which a password and a path
 * mean nothing. */
static add_result add_host(mmc_link *link, const char *begin, const char *end, bool is_script_s)
{
	mmc_server server = default_server();
	php_url *url = php_url_parse_ex(begin, (size_t) (end - begin));
	if (!url) {
		return IS_NO_URL;
	}
	/* PHP parses a bare name as a path. It makes one name of "host:port;…": the user took ';' for the separator of
	 * servers. Of "host:port?…" without "tcp://" it takes the host for a scheme and the port for a path: that path is
	 * no name. */
	bool is_path = url->path
		&& (!url->scheme || zend_string_equals_literal(url->scheme, "file")
			|| zend_string_equals_literal(url->scheme, "unix"));
	const char *name = url->host ? ZSTR_VAL(url->host) : is_path ? ZSTR_VAL(url->path) : "";
	const char *colon = *name == '[' ? NULL : strchr(name, ':');
	server.port = colon ? ZEND_STRTOL(colon + 1, NULL, 10) : url->port ? url->port : server.port;
	bool is_tls = url->host && url->scheme && zend_string_equals_literal(url->scheme, "tls");
	server.host =
		zend_strpprintf(0, "%s%.*s", is_tls ? "tls://" : "", colon ? (int) (colon - name) : (int) strlen(name), name);
	bool is_good = *name && colon != name && server.port >= 0 && server.port <= 65535
		&& (!url->query || read_query(ZSTR_VAL(url->query), ZSTR_VAL(url->query) + ZSTR_LEN(url->query), &server))
		&& (!is_script_s || php_leveret_may_add_quietly(php_leveret_string(server.host)));
	if (is_good) {
		php_leveret_mmc_link_add(link, &server);
	}
	zend_string_release(server.host);
	php_url_free(url);
	return is_good ? IS_ADDED : IS_NO_SERVER;
}

/* "unix:///path?query" or "arena:NAME?query"; pecl/memcache's users write a port of 0 behind a path. False: it makes no
 * sense. */
static bool add_path(mmc_link *link, const char *begin, const char *end, bool is_script_s)
{
	mmc_server server = default_server();
	const char *query = memchr(begin, '?', (size_t) (end - begin));
	const char *address_end = query ? query : end;
	address_end -= address_end - begin > 2 && memcmp(address_end - 2, ":0", 2) == 0 ? 2 : 0;
	if (address_end[-1] == '/' || (query && !read_query(query + 1, end, &server))) {
		return false;
	}
	server.port = 0;
	server.host = zend_string_init(begin, (size_t) (address_end - begin), 0);
	bool may_add = !is_script_s || php_leveret_may_add_quietly(php_leveret_string(server.host));
	if (may_add) {
		php_leveret_mmc_link_add(link, &server);
	}
	zend_string_release(server.host);
	return may_add;
}

static add_result mmc_session_add_server(mmc_link *link, const char *begin, const char *end, bool is_script_s)
{
	bool is_path = strncmp(begin, "unix://", strlen("unix://")) == 0 || strncmp(begin, "arena:", strlen("arena:")) == 0
		|| *begin == '/';
	if (!is_path) {
		return add_host(link, begin, end, is_script_s);
	}
	return add_path(link, begin, end, is_script_s) ? IS_ADDED : IS_NO_URL;
}

static bool mmc_add_servers(mmc_link *link, const char *path, bool is_script_s)
{
	for (const char *at = path; *(at += strspn(at, ", \t")); at += strcspn(at, ", \t")) {
		add_result result = mmc_session_add_server(link, at, at + strcspn(at, ", \t"), is_script_s);
		if (result == IS_NO_URL) {
			php_error_docref(NULL, E_WARNING, "Failed to parse memcache.save_path (error at offset %d, url was '%s')",
				(int) (at - path), path);
		}
		if (result != IS_ADDED) {
			return false;
		}
	}
	return link->count > 0;
}

/* --- batches --- */

/* "<id>" or "<id>.lock" as it is sent. NULL: the id is empty. */
static zend_string *key_of(const mmc_session *session, zend_string *id, bool is_lock)
{
	if (!is_lock) {
		return php_leveret_mmc_key(session->link, id);
	}
	zend_string *name = zend_string_concat2(ZSTR_VAL(id), ZSTR_LEN(id), ".lock", strlen(".lock"));
	zend_string *key = php_leveret_mmc_key(session->link, name);
	zend_string_release(name);
	return key;
}

static leveret_request request_for(const mmc_session *session, leveret_operation operation, const zend_string *key)
{
	return (leveret_request) {
		.operation = operation,
		.key = php_leveret_string(key),
		.group = php_leveret_string(session->group),
		.server = -1,
		.meta = { .origin = LEVERET_PECL_MEMCACHE },
	};
}

static void add_lock(const mmc_session *session, leveret_operation operation, uint64_t number)
{
	char text[24];
	leveret_request request = request_for(session, operation, session->lock_key);
	request.value = php_leveret_bytes(text, (size_t) snprintf(text, sizeof(text), "%" PRIu64, number));
	request.number = 1;
	request.exptime = MEMCACHE_G(lock_timeout);
	request.meta.encoding = LEVERET_INTEGER;
	request.meta.flags = MMC_TYPE_LONG;
	leveret_pool_add(session->link->pool->pool, &request);
}

/* Runs the open batch. Returns code and number of each answer; a missing answer is a failure. With `found` the last
 * request is a get among others, of which only a hit or a failure is answered. */
static void run(const mmc_session *session, int32_t *codes, uint64_t *numbers, uint32_t count, client_copy *found)
{
	leveret_pool *pool = session->link->pool->pool;
	leveret_answer answer;
	for (uint32_t i = 0; i < count; i++) {
		codes[i] = found && i == count - 1 ? LEVERET_CODE_NOTFOUND : LEVERET_CODE_FAILURE;
		numbers[i] = 0;
	}
	leveret_pool_run(pool);
	while (leveret_pool_next(pool, &answer)) {
		if (answer.request >= count) {
			continue;
		}
		codes[answer.request] = answer.code;
		numbers[answer.request] = answer.number;
		if (found && answer.code == LEVERET_CODE_SUCCESS && answer.request == count - 1) {
			client_copy_answer(&answer, found);
		}
	}
}

/* --- servers that fail --- */

/* Number of servers that store a session. */
static uint32_t copies_of(const mmc_session *session)
{
	return (uint32_t) MIN(MEMCACHE_G(session_redundancy), (zend_long) session->link->count);
}

/* A failed server backs off, and its sessions are then looked for at others. If no copy is left they are all tried
 * again: as with the original, a server that is back is used by the next visit. */
static void wake_servers(const mmc_session *session)
{
	leveret_pool *pool = php_leveret_mmc_pool_of(session->link);
	leveret_server server;
	uint32_t down = 0, count = leveret_pool_servers(pool);
	for (uint32_t i = 0; i < count; i++) {
		down += leveret_pool_server(pool, i, &server) == LEVERET_CODE_SUCCESS && server.is_down;
	}
	for (uint32_t i = 0; i < count && down >= copies_of(session); i++) {
		leveret_pool_mark_server(pool, i, 1, 0);
	}
}

/* Whether a server failed in the open batch that may have the session, and answer the next time. Each is counted once. */
static bool is_silent(leveret_pool *pool, uint32_t number, const leveret_failure *failure)
{
	leveret_failure earlier;
	for (uint32_t i = 0; i < number; i++) {
		if (leveret_pool_failure(pool, i, &earlier) && earlier.server == failure->server) {
			return false;
		}
	}
	return failure->system_error != ECONNREFUSED && failure->system_error != ENOENT;
}

/* Whether the open batch has read the session, or proved its absence: one of its servers has said so, or is dead. */
static bool is_read(const mmc_session *session, int32_t code)
{
	leveret_pool *pool = session->link->pool->pool;
	leveret_failure failure;
	uint32_t silent = 0;
	for (uint32_t i = 0; leveret_pool_failure(pool, i, &failure); i++) {
		silent += is_silent(pool, i, &failure);
	}
	return code == LEVERET_CODE_SUCCESS || (code == LEVERET_CODE_NOTFOUND && silent < copies_of(session));
}

/* --- the lock --- */

static void drop_lock(mmc_session *session)
{
	php_leveret_client_session_lease_drop(&session->lease);
	session->is_locked = false;
	if (session->lock_key) {
		zend_string_release(session->lock_key);
	}
	session->lock_key = NULL;
}

/* IS_UNREAD: locked, but the session was not read. IS_AWAY: no server answered. IS_OVER: PHP must do something else,
 * and the session may be gone. */
typedef enum lock_try { LOCKED, IS_TAKEN, HAS_NAPPED, IS_UNREAD, IS_AWAY, IS_OVER } lock_try;

/* Tries to lock, and reads in the same batch. LOCKED: `found` is filled, or empty if the session is new. */
static lock_try mmc_try_lock(mmc_session *session, client_copy *found)
{
	enum { COUNTED, ADDED, READ };
	int32_t codes[3], locked[1];
	uint64_t numbers[3];
	if (!php_leveret_client_session_lease_take(
			&session->lease, php_leveret_mmc_pool_of(session->link), php_leveret_string(session->lock_key))) {
		return HAS_NAPPED;
	}
	bool has_lease = session->lease.arena;
	php_leveret_mmc_begin(session->link);
	add_lock(session, LEVERET_OP_INCREMENT, 0);
	add_lock(session, LEVERET_OP_ADD, has_lease ? LEASED : 1);
	leveret_request request = request_for(session, LEVERET_OP_GET, session->group);
	leveret_pool_add(session->link->pool->pool, &request);
	*found = (client_copy) { 0 };
	run(session, codes, numbers, 3, found);
	bool was_read = is_read(session, codes[READ]);
	bool is_counted = codes[COUNTED] == LEVERET_CODE_SUCCESS;
	bool is_inherited = is_counted && has_lease && numbers[COUNTED] > LEASED;
	if (codes[ADDED] == LEVERET_CODE_SUCCESS || (is_counted && numbers[COUNTED] == 1) || is_inherited) {
		if (is_counted && has_lease) {
			php_leveret_mmc_begin(session->link);
			add_lock(session, LEVERET_OP_SET, LEASED);
			run(session, locked, numbers, 1, NULL);
		}
		session->is_locked = true;
		return was_read ? LOCKED : IS_UNREAD;
	}
	php_leveret_client_copy_free(found);
	/* Not there to be counted, and there when it was to be added: another visitor of a new session came in between. */
	return is_counted || codes[ADDED] == LEVERET_CODE_NOTSTORED || codes[ADDED] == LEVERET_CODE_DATA_EXISTS ? IS_TAKEN
																											: IS_AWAY;
}

/* An abandoned lock expires within lock_timeout: the wait is a little longer than that. */
static lock_try mmc_lock(void **mod_data, client_copy *found)
{
	uint64_t now = php_leveret_microseconds(), until = now + (uint64_t) MEMCACHE_G(lock_timeout) * 1000000 + 1500000;
	uint64_t pause = PAUSE_MIN_US;
	for (;;) {
		lock_try tried = mmc_try_lock(PS_GET_MOD_DATA(), found);
		bool is_to_wait = tried == IS_TAKEN || tried == HAS_NAPPED;
		now = php_leveret_microseconds();
		if (!is_to_wait || now >= until) {
			return tried;
		}
		if (!php_leveret_client_session_wait(mod_data, tried == IS_TAKEN ? now + pause : now)) {
			return IS_OVER;
		}
		pause = tried == IS_TAKEN ? MIN(2 * pause, PAUSE_MAX_US) : pause;
	}
}

/* --- the handler --- */

static bool read_unlocked(const mmc_session *session, client_copy *found)
{
	int32_t code;
	uint64_t number;
	leveret_pool *pool = php_leveret_mmc_begin(session->link);
	leveret_request request = request_for(session, LEVERET_OP_GET, session->group);
	leveret_pool_add(pool, &request);
	*found = (client_copy) { 0 };
	run(session, &code, &number, 1, found);
	return is_read(session, code);
}

/* The text of a session, from the item under its key. NULL: not a session; a notice may have been raised, whose handler
 * is user code. */
static zend_string *mmc_session_text_of(client_copy *found)
{
	zval value;
	if (!php_leveret_mmc_decode(found, &value)) {
		return NULL;
	}
	if (Z_TYPE(value) == IS_STRING) {
		return Z_STR(value);
	}
	zval_ptr_dtor(&value);
	return NULL;
}

static void end_session(mmc_session *session)
{
	drop_lock(session);
	if (session->group) {
		zend_string_release(session->group);
		session->group = NULL;
	}
}

/* Sets the session's id. False: it cannot be a key. An empty id would raise a warning, and the script's error handler
 * may close the session: callers never pass one. */
static bool begin_session(mmc_session *session, zend_string *id)
{
	end_session(session);
	session->group = key_of(session, id, false);
	return session->group && session->link->count;
}

/* Gives the lock back if the session was not written. */
static void mmc_unlock(mmc_session *session)
{
	int32_t code;
	uint64_t number;
	if (session->is_locked) {
		wake_servers(session);
		php_leveret_mmc_begin(session->link);
		add_lock(session, LEVERET_OP_SET, 0);
		run(session, &code, &number, 1, NULL);
	}
	end_session(session);
}

PS_CLOSE_FUNC(memcache)
{
	mmc_session *session = PS_GET_MOD_DATA();
	if (session) {
		mmc_unlock(session);
		php_leveret_mmc_link_free(session->link);
		efree(session);
		PS_SET_MOD_DATA(NULL);
	}
	return SUCCESS;
}

PS_OPEN_FUNC(memcache)
{
	/* session_reset() opens again without closing. */
	ps_close_memcache(mod_data);
	bool is_own = MEMCACHE_G(session_save_path) && *MEMCACHE_G(session_save_path);
	const char *path = is_own ? MEMCACHE_G(session_save_path) : PHP_LEVERET_SAVE_PATH;
	bool is_script_s = php_leveret_directive_is_changed(is_own ? "memcache.session_save_path" : "session.save_path");
	mmc_link *link = php_leveret_mmc_link_new(true);
	if (!mmc_add_servers(link, path, is_script_s)) {
		php_leveret_mmc_link_free(link);
		return FAILURE;
	}
	/* The script's handler of errors may have opened one. */
	ps_close_memcache(mod_data);
	mmc_session *session = ecalloc(1, sizeof(*session));
	session->head = php_leveret_client_session_begin();
	session->link = link;
	PS_SET_MOD_DATA(session);
	return SUCCESS;
}

PS_READ_FUNC(memcache)
{
	mmc_session *session = PS_GET_MOD_DATA();
	client_copy found;
	if (!session || !ZSTR_LEN(key)) {
		return FAILURE;
	}
	uint64_t number = session->head.number;
	mmc_unlock(session);
	if (!begin_session(session, key)) {
		return FAILURE;
	}
	session->is_unread = true;
	session->lock_key = key_of(session, key, true);
	wake_servers(session);
	lock_try tried = mmc_lock(mod_data, &found);
	bool was_read = tried == LOCKED;
	if (tried == IS_OVER) {
		return FAILURE;
	}
	if (!session->is_locked) {
		drop_lock(session);
	}
	if (tried == IS_TAKEN || tried == HAS_NAPPED) {
		/* As the original: after the time-out the request proceeds without the lock, which stays with its holder. */
		was_read = read_unlocked(session, &found);
	}
	/* An empty session, which the original returns for one that could not be read, would later overwrite the stored
	 * one. */
	zend_string *text = !was_read ? NULL : found.data ? mmc_session_text_of(&found) : ZSTR_EMPTY_ALLOC();
	if (text && php_leveret_client_session_is_open(mod_data, number) && !session->is_locked) {
		php_error_docref(NULL, E_WARNING,
			"The session is locked by another process for longer than memcache.lock_timeout (" ZEND_LONG_FMT
			" seconds), and is used without its lock",
			MEMCACHE_G(lock_timeout));
	}
	/* The script's handler of errors may have closed the session, or have thrown. */
	if (text && (EG(exception) || !php_leveret_client_session_is_open(mod_data, number))) {
		zend_string_release(text);
		return FAILURE;
	}
	if (!text) {
		return FAILURE;
	}
	session->is_unread = false;
	*val = text;
	return SUCCESS;
}

PS_WRITE_FUNC(memcache)
{
	mmc_session *session = PS_GET_MOD_DATA();
	client_payload payload;
	zval text;
	int32_t codes[2];
	uint64_t numbers[2];
	if (!session || !ZSTR_LEN(key) || session->is_unread || (!session->group && !begin_session(session, key))) {
		return FAILURE;
	}
	/* session_regenerate_id() writes under another id than the one that was read. */
	zend_string *full = key_of(session, key, false);
	if (!full) {
		return FAILURE;
	}
	/* A string is encoded without user code. */
	ZVAL_STR(&text, val);
	php_leveret_mmc_encode(session->link, &text, 0, &payload);
	leveret_pool *pool = php_leveret_mmc_begin(session->link);
	leveret_request request = request_for(session, LEVERET_OP_SET, full);
	request.group = php_leveret_string(full);
	request.value = payload.bytes;
	request.meta = payload.meta;
	/* A span of more than 30 days would count as a Unix time, and 0 as no expiry. */
	request.exptime = (int64_t) time(NULL) + maxlifetime;
	leveret_pool_add(pool, &request);
	php_leveret_client_payload_free(&payload);
	if (session->is_locked) {
		add_lock(session, LEVERET_OP_SET, 0);
	}
	run(session, codes, numbers, 2, NULL);
	zend_string_release(full);
	end_session(session);
	return codes[0] == LEVERET_CODE_SUCCESS ? SUCCESS : FAILURE;
}

PS_DESTROY_FUNC(memcache)
{
	mmc_session *session = PS_GET_MOD_DATA();
	int32_t codes[2];
	uint64_t numbers[2];
	if (!session || !ZSTR_LEN(key) || (!session->group && !begin_session(session, key))) {
		return FAILURE;
	}
	zend_string *full = key_of(session, key, false), *lock_key = key_of(session, key, true);
	leveret_pool *pool = php_leveret_mmc_begin(session->link);
	if (full && lock_key) {
		leveret_request request = request_for(session, LEVERET_OP_DELETE, full);
		request.group = php_leveret_string(full);
		leveret_pool_add(pool, &request);
		request.key = php_leveret_string(lock_key);
		leveret_pool_add(pool, &request);
		run(session, codes, numbers, 2, NULL);
		zend_string_release(full);
		zend_string_release(lock_key);
	}
	end_session(session);
	return full && lock_key && (codes[0] == LEVERET_CODE_SUCCESS || codes[0] == LEVERET_CODE_NOTFOUND) ? SUCCESS
																									   : FAILURE;
}

/* Items expire by themselves. As in the original their number is unknown: session_gc() is false. */
PS_GC_FUNC(memcache)
{
	*nrdels = -1;
	return 0;
}

#if PHP_VERSION_ID >= 80600
/* From that version on PS_MOD takes these two of each handler; before, it took PHP's own, as here. */
PS_CREATE_SID_FUNC(memcache)
{
	return php_session_create_id(mod_data);
}

PS_VALIDATE_SID_FUNC(memcache)
{
	return php_session_validate_sid(mod_data, key);
}
#endif

ps_module ps_mod_memcache = { PS_MOD(memcache) };

void php_leveret_memcache_session(void)
{
	php_session_register_module(&ps_mod_memcache);
}
