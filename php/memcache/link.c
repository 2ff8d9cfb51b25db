/* memcache/link.c: a link: its servers, and the pool that talks to them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "base/basedir.h"
#include "base/bytes.h"
#include "base/text.h"
#include "memcache.h"
#include "module.h"

/* pecl/memcache's own. */
#define TIMEOUT_MS 1000

/* --- pools --- */

static void mmc_free_pool(mmc_pool *pool)
{
	leveret_pool_free(pool->pool);
	pefree(pool, pool->is_persistent);
}

static void mmc_free_persistent(zval *entry)
{
	mmc_free_pool(Z_PTR_P(entry));
}

void php_leveret_memcache_pools_init(HashTable *pools)
{
	zend_hash_init(pools, 4, NULL, mmc_free_persistent, 1);
}

static bool mmc_link_add_server(leveret_pool *pool, const mmc_server *server, leveret_bytes host)
{
	return leveret_pool_add_server(pool, host, (uint16_t) server->port, (uint16_t) server->udp_port,
			   (uint32_t) server->weight, php_leveret_dir())
		== LEVERET_CODE_SUCCESS;
}

/* No name server knows this name (RFC 2606). */
static const char nobody[] = "not-utf-8.invalid";

static mmc_pool *mmc_new_pool(const mmc_link *link, bool is_persistent)
{
	mmc_pool *made = pecalloc(1, sizeof(*made), is_persistent);
	leveret_pool *pool = php_leveret_pool_new();
	made->pool = pool;
	made->is_persistent = is_persistent;
	made->redundancy = 1;
	leveret_pool_set_option(pool, LEVERET_POOL_RING, link->ring);
	leveret_pool_set_option(pool, LEVERET_POOL_HASH, link->hash);
	leveret_pool_set_option(pool, LEVERET_POOL_ELSEWHERE, link->is_of_sessions);
	leveret_pool_set_option(
		pool, LEVERET_POOL_PROTOCOL, link->is_binary ? LEVERET_PROTOCOL_BINARY : LEVERET_PROTOCOL_TEXT);
	leveret_pool_set_option(pool, LEVERET_POOL_CONNECT_TIMEOUT_MS, TIMEOUT_MS);
	leveret_pool_set_option(pool, LEVERET_POOL_POLL_TIMEOUT_MS, TIMEOUT_MS);
	/* One failure is enough; what becomes of the server then is for its retry interval to say. */
	leveret_pool_set_option(pool, LEVERET_POOL_FAILURE_LIMIT, 0);
	leveret_pool_set_option(pool, LEVERET_POOL_TIMEOUT_LIMIT, 1);
	for (uint32_t i = 0; i < link->count; i++) {
		const mmc_server *server = &link->servers[i];
		if (!mmc_link_add_server(pool, server, php_leveret_string(server->host))) {
			/* A name that is not UTF-8 cannot be resolved. Servers are addressed by their place in the list, so it gets
			 * one. */
			mmc_link_add_server(pool, server, php_leveret_bytes(nobody, strlen(nobody)));
		}
	}
	if (link->user && link->is_binary) {
		leveret_pool_set_credentials(pool, -1, php_leveret_string(link->user), php_leveret_string(link->password), 0);
	}
	return made;
}

/* Length-prefixed, so that any contents stay unambiguous. */
static void append_part(smart_str *name, zend_string *part)
{
	smart_str_append_printf(name, "%zu:", ZSTR_LEN(part));
	php_leveret_append(name, ZSTR_VAL(part), ZSTR_LEN(part));
}

/* Key of the pool of a list of persistent servers, with the user. NULL: a server is not persistent. */
static zend_string *mmc_name_of(const mmc_link *link)
{
	smart_str name = { 0 };
	smart_str_append_printf(
		&name, ZEND_LONG_FMT " ", 8 * link->ring + 4 * link->hash + 2 * link->is_binary + link->is_of_sessions);
	php_leveret_append(&name, (const char *) php_leveret_dir().data, php_leveret_dir().len);
	php_leveret_append_word(&name, "\n");
	php_leveret_append(&name, php_leveret_basedir(), strlen(php_leveret_basedir()));
	for (uint32_t i = 0; i < link->count; i++) {
		const mmc_server *server = &link->servers[i];
		if (!server->is_persistent) {
			smart_str_free(&name);
			return NULL;
		}
		php_leveret_append_word(&name, "\n");
		append_part(&name, server->host);
		smart_str_append_printf(&name, " " ZEND_LONG_FMT " " ZEND_LONG_FMT " " ZEND_LONG_FMT, server->port,
			server->udp_port, server->weight);
	}
	if (link->user) {
		php_leveret_append_word(&name, "\n");
		append_part(&name, link->user);
		append_part(&name, link->password);
	}
	smart_str_0(&name);
	return name.s;
}

static mmc_pool *find_pool(const mmc_link *link)
{
	zend_string *name = mmc_name_of(link);
	if (!name) {
		return mmc_new_pool(link, false);
	}
	mmc_pool *pool = zend_hash_find_ptr(&MEMCACHE_G(pools), name);
	if (!pool) {
		pool = mmc_new_pool(link, true);
		zend_hash_str_add_ptr(&MEMCACHE_G(pools), ZSTR_VAL(name), ZSTR_LEN(name), pool);
	}
	zend_string_release(name);
	return pool;
}

static void leave_pool(mmc_link *link)
{
	if (link->pool && !link->pool->is_persistent) {
		mmc_free_pool(link->pool);
	}
	link->pool = NULL;
}

void php_leveret_mmc_link_tune(mmc_link *link, uint32_t index)
{
	const mmc_server *server = &link->servers[index];
	double timeout = server->timeout * 1000;
	/* Below zero without an end, as long as makes no difference. No time at all, with which the original never gets an
	 * answer, is the pool's own. */
	uint32_t timeout_ms = timeout < 0         ? UINT32_MAX
		: timeout > 0 && timeout < UINT32_MAX ? (uint32_t) timeout + (timeout < 1)
											  : 0;
	leveret_pool_tune_server(link->pool->pool, index, timeout_ms, server->retry);
	if (server->is_off) {
		/* A server that may be retried is, with the next request. */
		leveret_pool_mark_server(link->pool->pool, index, 0, server->retry < 0 ? -1 : 0);
	}
}

/* Number of places of a key among which the pool puts its copies. */
#define PLACES_OF_COPIES 20

leveret_pool *php_leveret_mmc_pool_of(mmc_link *link)
{
	if (UNEXPECTED(!link->pool)) {
		link->pool = find_pool(link);
		for (uint32_t i = 0; i < link->count; i++) {
			php_leveret_mmc_link_tune(link, i);
		}
	}
	mmc_pool *pool = link->pool;
	zend_long redundancy =
		MIN(link->is_of_sessions ? MEMCACHE_G(session_redundancy) : MEMCACHE_G(redundancy), UINT32_MAX);
	/* The copies of a session are there for its first server's death, also where nothing else may take that one's
	 * place. */
	zend_long copies = link->is_of_sessions && redundancy > 1 ? PLACES_OF_COPIES : 0;
	zend_long failover = MEMCACHE_G(allow_failover) ? MIN(MEMCACHE_G(max_failover_attempts), UINT32_MAX) : copies;
	if (UNEXPECTED(pool->failover != failover)) {
		pool->failover = failover;
		leveret_pool_set_option(pool->pool, LEVERET_POOL_FAILOVER_ATTEMPTS, failover);
	}
	if (UNEXPECTED(pool->redundancy != redundancy)) {
		pool->redundancy = redundancy;
		leveret_pool_set_option(pool->pool, LEVERET_POOL_REDUNDANCY, pool->redundancy);
	}
	return pool->pool;
}

/* --- links --- */

mmc_link *php_leveret_mmc_link_new(bool is_of_sessions)
{
	mmc_link *link = ecalloc(1, sizeof(*link));
	link->is_of_sessions = is_of_sessions;
	link->is_binary = php_leveret_is_word(MEMCACHE_G(protocol), strlen(MEMCACHE_G(protocol)), "binary");
	link->ring = php_leveret_is_word(MEMCACHE_G(hash_strategy), strlen(MEMCACHE_G(hash_strategy)), "standard")
		? LEVERET_RING_PECL_STANDARD
		: LEVERET_RING_PECL_CONSISTENT;
	link->hash = php_leveret_is_word(MEMCACHE_G(hash_function), strlen(MEMCACHE_G(hash_function)), "fnv");
	link->prefix = php_leveret_mmc_prefix(is_of_sessions);
	link->threshold = MEMCACHE_G(compress_threshold);
	link->savings = 0.2;
	ZVAL_UNDEF(&link->callback);
	return link;
}

void php_leveret_mmc_link_sign_in(mmc_link *link, zend_string *user, zend_string *password)
{
	zend_string *old_user = link->user, *old_password = link->password;
	bool is_same = old_user && zend_string_equals(old_user, user) && zend_string_equals(old_password, password);
	link->user = zend_string_copy(user);
	link->password = zend_string_copy(password);
	if (old_user) {
		zend_string_release(old_user);
		zend_string_release(old_password);
	}
	if (!is_same) {
		leave_pool(link);
	}
}

void php_leveret_mmc_link_close(mmc_link *link)
{
	leave_pool(link);
	for (uint32_t i = 0; i < link->count; i++) {
		zend_string_release(link->servers[i].host);
	}
	link->count = 0;
}

void php_leveret_mmc_link_free(mmc_link *link)
{
	php_leveret_mmc_link_close(link);
	if (link->user) {
		zend_string_release(link->user);
		zend_string_release(link->password);
	}
	if (link->servers) {
		efree(link->servers);
	}
	if (link->prefix) {
		zend_string_release(link->prefix);
	}
	zval_ptr_dtor(&link->callback);
	efree(link);
}

int64_t php_leveret_mmc_link_find(const mmc_link *link, const zend_string *host, zend_long port)
{
	for (uint32_t i = 0; i < link->count; i++) {
		if (link->servers[i].port == port && zend_string_equals(link->servers[i].host, host)) {
			return i;
		}
	}
	return -1;
}

uint32_t php_leveret_mmc_link_add(mmc_link *link, const mmc_server *server)
{
	int64_t index = php_leveret_mmc_link_find(link, server->host, server->port);
	if (index >= 0) {
		return (uint32_t) index;
	}
	if (link->count == link->room) {
		link->room = link->room ? 2 * link->room : 2;
		link->servers = safe_erealloc(link->servers, link->room, sizeof(*link->servers), 0);
	}
	leave_pool(link);
	link->servers[link->count] = *server;
	zend_string_addref(server->host);
	return link->count++;
}
