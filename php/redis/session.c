/* redis/session.c: the session handler "redis", which shares its sessions with php-redis' one.
 *
 * A session is the string "<prefix><id>", which lives session.gc_maxlifetime seconds, on the server that the first
 * bytes of the id name. While a script has it open it may hold its lock, the key with "_LOCK" behind it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "module.h"
#include "session.h"
#include "session_path.h"
#include "session_store.h"

#include "ext/session/php_session.h"

static const char of_release[] = "Failed to release session lock";
static const char of_write[] = "Error writing session data to Redis";

static int compression_of(const char *name)
{
	static const char *const names[] = { "none", "lzf", "zstd", "lz4" };
	for (int i = 0; i < (int) (sizeof(names) / sizeof(*names)); i++) {
		if (zend_binary_strcasecmp(name, strlen(name), names[i], strlen(names[i])) == 0) {
			return php_leveret_redis_has_compression(i) ? i : -1;
		}
	}
	return *name ? -1 : REDIS_COMPRESSION_NONE;
}

static void free_session(redis_session *session)
{
	for (uint32_t i = 0; i < session->count; i++) {
		leveret_redis_free(session->servers[i].link);
		php_leveret_redis_keep(&session->servers[i].prefix, NULL);
	}
	efree(session->servers);
	php_leveret_redis_session_forget_lock(session);
	efree(session);
}

PS_CLOSE_FUNC(redis)
{
	redis_session *session = PS_GET_MOD_DATA();
	if (!session) {
		return SUCCESS;
	}
	redis_node reply;
	redis_session_server *failed = php_leveret_redis_session_unlock(session, &reply);
	zend_string *why = NULL;
	if (failed) {
		leveret_bytes told = reply.text ? php_leveret_string(reply.text) : leveret_redis_error(failed->link);
		why = zend_string_init((const char *) told.data, told.len, 0);
	}
	php_leveret_redis_node_free(&reply);
	PS_SET_MOD_DATA(NULL);
	free_session(session);
	if (why) {
		php_error_docref(NULL, E_WARNING, "%s: %s", of_release, ZSTR_VAL(why));
		zend_string_release(why);
	}
	return SUCCESS;
}

static void tell_server(leveret_redis *link, const redis_place *place)
{
	redis_object told;
	memset(&told, 0, sizeof(told));
	told.link = link;
	php_leveret_redis_begin(&told, zend_string_copy(place->host), place->port);
	told.timeout = place->timeout;
	told.read_timeout = place->read_timeout;
	told.tuning.retry_interval_ms = (uint32_t) MAX(MIN(place->retry_interval, INT32_MAX), 0);
	told.is_persistent = place->is_persistent;
	told.persistent_id = place->persistent_id ? zend_string_copy(place->persistent_id) : NULL;
	told.user = place->user ? zend_string_copy(place->user) : NULL;
	told.password = place->password ? zend_string_copy(place->password) : NULL;
	told.database = (uint32_t) MAX(place->database, 0);
	if (Z_TYPE(place->stream) == IS_ARRAY) {
		php_leveret_redis_take_tls(&told, (zval *) &place->stream);
	}
	php_leveret_redis_tell_server(&told);
	php_leveret_redis_free_strings(&told);
}

PS_OPEN_FUNC(redis)
{
	redis_place *places;
	const char *path = PHP_LEVERET_SAVE_PATH, *wrong;
	size_t wrong_len;
	/* session_reset() opens again what nobody has closed. */
	ps_close_redis(mod_data);
	uint32_t count = php_leveret_redis_read_path(path, &places, &wrong, &wrong_len);
	if (!count) {
		if (wrong) {
			/* Without what is behind '?': passwords do not belong into logs. */
			const char *query = memchr(wrong, '?', wrong_len);
			php_error_docref(NULL, E_WARNING, "Failed to parse session.save_path (error at offset %d, url was '%.*s')",
				(int) (wrong - path), (int) (query ? query - wrong : (ptrdiff_t) wrong_len), wrong);
		}
		return FAILURE;
	}
	/* From here on no user code runs until there is a session that closes its links. */
	redis_session *session = ecalloc(1, sizeof(*session));
	session->servers = safe_emalloc(count, sizeof(*session->servers), 0);
	session->head = php_leveret_client_session_begin();
	session->compression = MAX(compression_of(REDIS_G(compression)), REDIS_COMPRESSION_NONE);
	PS_SET_MOD_DATA(session);
	for (uint32_t i = 0; i < count; i++) {
		session->servers[i] = (redis_session_server) {
			.link = leveret_redis_new(),
			.prefix = places[i].prefix ? zend_string_copy(places[i].prefix) : NULL,
			.weight = (uint32_t) places[i].weight,
		};
		session->count++;
		session->weights += (uint32_t) places[i].weight;
		tell_server(session->servers[i].link, &places[i]);
	}
	php_leveret_redis_free_places(places, count);
	if (compression_of(REDIS_G(compression)) < 0) {
		php_error_docref(NULL, E_NOTICE, "redis.session.compression is outside of valid values, disabling");
	}
	return SUCCESS;
}

/* A zstd frame of a host that has it, where this one has not: no session. */
static bool is_foreign(const redis_session *session, const zend_string *value)
{
	return session->compression == REDIS_COMPRESSION_NONE && ZSTR_LEN(value) >= 4
		&& memcmp(ZSTR_VAL(value), "\x28\xb5\x2f\xfd", 4) == 0;
}

/* Takes the reply. False: it is no value, and a warning has told so. */
static bool take_value(const redis_session *session, redis_session_server *server, redis_node *reply, zend_string **val)
{
	if (reply->kind == LEVERET_REDIS_NIL) {
		*val = ZSTR_EMPTY_ALLOC();
		return true;
	}
	if (reply->kind != LEVERET_REDIS_BULK) {
		php_leveret_redis_session_warn(server, REDIS_SESSION_AWAY, reply);
		return false;
	}
	bool is_too_large = false;
	zend_string *opened =
		php_leveret_redis_uncompress(session->compression, ZSTR_VAL(reply->text), ZSTR_LEN(reply->text), &is_too_large);
	/* What was written before compression was chosen is read as it is. */
	if (is_too_large || is_foreign(session, reply->text)) {
		php_leveret_redis_node_free(reply);
		php_error_docref(NULL, E_WARNING, "%s: %s", REDIS_SESSION_AWAY,
			is_too_large ? "the session is larger than memory_limit allows" : "the session is compressed by zstd");
		return false;
	}
	*val = opened ? opened : zend_string_copy(reply->text);
	php_leveret_redis_node_free(reply);
	return true;
}

/* What each function of the handler begins with. False: there is no session, or no id. */
static bool has_id(const redis_session *session, const zend_string *id)
{
	if (!session) {
		php_error_docref(NULL, E_WARNING, "Session is not allocated, check session.save_path value");
	}
	return session && ZSTR_LEN(id) > 0;
}

PS_READ_FUNC(redis)
{
	redis_session *session = PS_GET_MOD_DATA();
	redis_node reply;
	bool has_value;
	if (!has_id(session, key)) {
		return FAILURE;
	}
	session->is_unread = true;
	memset(&reply, 0, sizeof(reply));
	redis_session_server *server = php_leveret_redis_session_server(session, key);
	zend_string *name = php_leveret_redis_session_key(server, key, "");
	bool is_locked = php_leveret_redis_session_lock(mod_data, server, key, name, &has_value, &reply);
	bool is_told = is_locked && (has_value || php_leveret_redis_session_read(server, name, &reply));
	zend_string_release(name);
	if (!is_locked) {
		return FAILURE;
	}
	if (!is_told) {
		php_leveret_redis_session_warn(server, REDIS_SESSION_AWAY, NULL);
		return FAILURE;
	}
	if (!take_value(session, server, &reply, val)) {
		return FAILURE;
	}
	session->is_unread = false;
	return SUCCESS;
}

PS_WRITE_FUNC(redis)
{
	redis_session *session = PS_GET_MOD_DATA();
	redis_node reply;
	if (!has_id(session, key) || session->is_unread) {
		return FAILURE;
	}
	redis_session_server *server = php_leveret_redis_session_server(session, key);
	zend_string *packed =
		php_leveret_redis_compress(session->compression, REDIS_G(compression_level), ZSTR_VAL(val), ZSTR_LEN(val));
	redis_written done = php_leveret_redis_session_write(
		session, server, key, php_leveret_string(packed ? packed : val), maxlifetime, &reply);
	if (packed) {
		zend_string_release(packed);
	}
	switch (done) {
		case REDIS_WRITTEN:
			php_leveret_redis_node_free(&reply);
			return SUCCESS;
		case REDIS_REFUSED:
			php_leveret_redis_session_warn(server, of_write, &reply);
			return FAILURE;
		case REDIS_AWAY:
			php_leveret_redis_session_warn(server, REDIS_SESSION_AWAY, NULL);
			return FAILURE;
		case REDIS_EXPIRED:
			php_error_docref(NULL, E_WARNING, "Session lock expired");
			break;
		case REDIS_UNLOCKED:
			break;
	}
	php_error_docref(NULL, E_WARNING, "Unable to write session: session lock not held");
	return FAILURE;
}

PS_DESTROY_FUNC(redis)
{
	redis_session *session = PS_GET_MOD_DATA();
	redis_node reply, unlocked;
	if (!has_id(session, key)) {
		return FAILURE;
	}
	redis_session_server *server = php_leveret_redis_session_server(session, key);
	zend_string *name = php_leveret_redis_session_key(server, key, "");
	memset(&reply, 0, sizeof(reply));
	bool is_told = php_leveret_redis_session_delete(server, name, &reply);
	zend_string_release(name);
	/* The lock goes last: whoever waits for it must not read what is being destroyed. */
	php_leveret_redis_session_unlock(session, &unlocked);
	php_leveret_redis_node_free(&unlocked);
	/* Who wants to log out must hear that he is not. */
	if (is_told && reply.kind == LEVERET_REDIS_INT) {
		return SUCCESS;
	}
	php_leveret_redis_session_warn(server, REDIS_SESSION_AWAY, is_told ? &reply : NULL);
	return FAILURE;
}

/* Keys expire by themselves. As in the original nobody says how many: session_gc() is false. */
PS_GC_FUNC(redis)
{
	*nrdels = -1;
	return 0;
}

PS_CREATE_SID_FUNC(redis)
{
	return php_session_create_id(NULL);
}

PS_VALIDATE_SID_FUNC(redis)
{
	redis_session *session = PS_GET_MOD_DATA();
	redis_node reply;
	if (!session || !ZSTR_LEN(key)) {
		return FAILURE;
	}
	redis_session_server *server = php_leveret_redis_session_server(session, key);
	zend_string *name = php_leveret_redis_session_key(server, key, "");
	bool is_told = php_leveret_redis_session_exists(server, name, &reply);
	zend_string_release(name);
	/* A visitor whose server does not answer keeps his id: another one would be sent to him as a cookie, and his
	 * session lost. Reading it then fails. */
	if (!is_told) {
		return SUCCESS;
	}
	bool is_missing = reply.kind == LEVERET_REDIS_INT && reply.number == 0;
	php_leveret_redis_node_free(&reply);
	return is_missing ? FAILURE : SUCCESS;
}

/* Nothing has changed: the session only lives longer. */
PS_UPDATE_TIMESTAMP_FUNC(redis)
{
	redis_session *session = PS_GET_MOD_DATA();
	redis_node reply;
	if (!has_id(session, key)) {
		return FAILURE;
	}
	/* Reading has done it. */
	if (REDIS_G(early_refresh)) {
		return SUCCESS;
	}
	redis_session_server *server = php_leveret_redis_session_server(session, key);
	zend_string *name = php_leveret_redis_session_key(server, key, "");
	memset(&reply, 0, sizeof(reply));
	bool is_told = php_leveret_redis_session_touch(server, name, maxlifetime, &reply);
	zend_string_release(name);
	/* Another request may have ended it meanwhile: a visitor who has logged out stays so. */
	if (is_told && reply.kind == LEVERET_REDIS_INT) {
		return SUCCESS;
	}
	php_leveret_redis_session_warn(server, REDIS_SESSION_AWAY, is_told ? &reply : NULL);
	return FAILURE;
}

ps_module ps_mod_redis = { PS_MOD_UPDATE_TIMESTAMP(redis) };

void php_leveret_redis_session(void)
{
	php_session_register_module(&ps_mod_redis);
}
