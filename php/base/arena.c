/* base/arena.c: which arenas this thread has open.
 *
 * Nothing that has a name is opened in MINIT: php-fpm's master runs as root and forks afterwards. An arena is opened by
 * the first script that uses it, as the user that runs it, and stays open for later requests. The private cache of
 * apcu_* on the command line is opened there, since the processes that are forked from this one share it.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "arena.h"
#include "basedir.h"
#include "bytes.h"
#include "globals.h"

#include "SAPI.h"
#include "ext/standard/info.h"
#include "main/snprintf.h"

/* Longest error text of opening an arena. */
#define MESSAGE_LEN 1024

struct php_leveret_opened {
	php_leveret_opened *next;
	leveret_arena *arena;
	bool lost;    /* its file is gone: only waits to be closed */
	bool of_apcu; /* opened for apcu_*: see open_apcu */
	size_t dir_len, name_len;
	char names[]; /* leveret.dir as it was, then the arena's name: sites of one process may have folders of their own */
};

leveret_bytes php_leveret_dir(void)
{
	const char *dir = LEVERET_G(dir) ? LEVERET_G(dir) : "";
	return php_leveret_bytes(dir, strlen(dir));
}

void php_leveret_place_changed(void)
{
	LEVERET_G(apcu_arena) = NULL;
	LEVERET_G(apcu_retry_at) = 0;
}

static bool equals(leveret_bytes one, const char *other, size_t len)
{
	return one.len == len && memcmp(one.data, other, len) == 0;
}

/* NULL: it is not open. */
static leveret_arena *find_opened(leveret_bytes name, bool of_apcu)
{
	leveret_bytes dir = php_leveret_dir();
	for (php_leveret_opened *opened = LEVERET_G(opened); opened; opened = opened->next) {
		if (!opened->lost && (opened->of_apcu || !of_apcu)
			&& equals(name, opened->names + opened->dir_len, opened->name_len)
			&& equals(dir, opened->names, opened->dir_len)) {
			return opened->arena;
		}
	}
	return NULL;
}

/* Without a name: the private one. */
static leveret_status open_arena(
	leveret_bytes name, uint64_t memory, bool create, leveret_arena **arena, uint32_t *created, char *message)
{
	leveret_open_options options = {
		.arena = name,
		.dir = php_leveret_dir(),
		.memory = memory,
		.lock_timeout_ms = (uint32_t) LEVERET_G(lock_timeout),
		.create = create,
		.nameless = name.len == 0,
	};
	*message = '\0';
	return leveret_open(&options, arena, created, message, MESSAGE_LEN);
}

static void arena_keep(leveret_arena *arena, leveret_bytes name, bool of_apcu)
{
	leveret_bytes dir = php_leveret_dir();
	php_leveret_opened *opened = pemalloc(sizeof(*opened) + dir.len + name.len, 1);
	opened->arena = arena;
	opened->lost = false;
	opened->of_apcu = of_apcu;
	opened->dir_len = dir.len;
	opened->name_len = name.len;
	memcpy(opened->names, dir.data, dir.len);
	memcpy(opened->names + dir.len, name.data, name.len);
	opened->next = LEVERET_G(opened);
	LEVERET_G(opened) = opened;
}

leveret_arena *php_leveret_arena(zend_string *name, zend_string **error)
{
	leveret_bytes wanted =
		name ? php_leveret_string(name) : php_leveret_bytes(LEVERET_G(arena), strlen(LEVERET_G(arena)));
	/* Also of one that is open: another site of this process may have opened it. What php.ini names is the
	 * administrator's. */
	if (!php_leveret_may_open(name ? wanted : php_leveret_bytes("", 0))) {
		*error = zend_strpprintf(0,
			"open_basedir keeps this script from the arena %.*s: it allows %s. Name an arena there, or take one by its name (arena:NAME)",
			(int) MIN(wanted.len, MAXPATHLEN), (const char *) wanted.data, php_leveret_basedir());
		return NULL;
	}
	leveret_arena *arena = find_opened(wanted, false);
	if (EXPECTED(arena)) {
		return arena;
	}
	char message[MESSAGE_LEN];
	uint32_t created;
	if (open_arena(wanted, LEVERET_G(memory), true, &arena, &created, message) != LEVERET_OK) {
		*error = zend_string_init(message, strlen(message), 0);
		return NULL;
	}
	arena_keep(arena, wanted, false);
	return arena;
}

/* --- the arena of the apcu module --- */

/* Before the first request, and the same for all threads. */
static bool apcu_is_private;
static leveret_arena *apcu_private; /* kept open for those who are forked from here */
static void (*fill_apcu)(leveret_arena *arena);
/* This process's token as a web-server master, drawn before it forks; 0 on the command line, unless apcu_* is private
 * there. */
static uint64_t master;

static bool is_sapi(const char *name)
{
	return strcmp(sapi_module.name, name) == 0;
}

/* `php -S` is private too: it is started by hand or by a test, not by the host. */
bool php_leveret_apcu_is_private(void)
{
	return (is_sapi("cli") || is_sapi("phpdbg") || is_sapi("cli-server"))
		&& strcmp(LEVERET_G(apcu_cli), "private") == 0;
}

void php_leveret_apcu_master_begin(void)
{
	if (php_leveret_apcu_is_private() || (!is_sapi("cli") && !is_sapi("phpdbg"))) {
		master = leveret_master_token();
	}
}

void php_leveret_apcu_fill_by(void (*fill)(leveret_arena *arena))
{
	fill_apcu = fill;
}

static leveret_bytes apcu_name(void)
{
	return apcu_is_private ? php_leveret_bytes("", 0)
						   : php_leveret_bytes(LEVERET_G(apcu_arena_name), strlen(LEVERET_G(apcu_arena_name)));
}

void php_leveret_apcu_begin_private(bool enabled)
{
	apcu_is_private = true;
	char message[MESSAGE_LEN];
	uint32_t created;
	/* A failure here is retried and reported on first use. */
	if (enabled
		&& open_arena(apcu_name(), LEVERET_G(apcu_memory), true, &apcu_private, &created, message) != LEVERET_OK) {
		apcu_private = NULL;
	}
}

void php_leveret_apcu_end_private(void)
{
	if (apcu_private) {
		leveret_close(apcu_private);
		apcu_private = NULL;
	}
}

static void log_line(const char *text)
{
	char line[MESSAGE_LEN + 64];
	snprintf(line, sizeof(line), "leveret: %s", text);
	php_log_err(line);
}

static void log_apcu(bool *logged, const char *text)
{
	if (!*logged) {
		*logged = true;
		log_line(text);
	}
}

/* The file of the apcu arena may come from a process with another apc.shm_size. */
static void compare_size(leveret_arena *arena)
{
	uint64_t is = leveret_memory(arena), wanted = LEVERET_G(apcu_memory);
	if (is != wanted) {
		char text[256];
		snprintf(text, sizeof(text),
			"the apcu arena exists with %" PRIu64 " bytes and keeps them, although apc.shm_size asks for %" PRIu64
			"; remove it (leveret rm %s) to make it anew",
			is, wanted, LEVERET_G(apcu_arena_name));
		log_apcu(&LEVERET_G(apcu_size_logged), text);
	}
}

/* Deployments rely on a restart of the web server emptying APCu. A worker that has not entered must write nothing: the
 * next worker of its master would enter in its place, and delete its items. */
static leveret_status open_apcu(leveret_arena **arena, uint32_t *created, bool *begins, char *message)
{
	leveret_status status = open_arena(apcu_name(), LEVERET_G(apcu_memory), true, arena, created, message);
	*begins = status == LEVERET_OK && *created;
	if (status != LEVERET_OK || !master || (LEVERET_G(apcu_persist) && !apcu_is_private)) {
		return status;
	}
	status = leveret_master_enter(*arena, master);
	if (status == LEVERET_LOST) {
		/* Its layout was older and nobody used it: then the call has replaced it. */
		leveret_close(*arena);
		status = open_arena(apcu_name(), LEVERET_G(apcu_memory), true, arena, created, message);
		if (status != LEVERET_OK) {
			return status;
		}
		status = leveret_master_enter(*arena, master);
	}
	if (status != LEVERET_OK && status != LEVERET_MISS) {
		snprintf(message, MESSAGE_LEN, "the apcu arena cannot be used yet: %s",
			status == LEVERET_LOST ? "its file was just removed or replaced"
								   : "another process holds its lock file and does not go on");
		leveret_close(*arena);
		return status;
	}
	/* Of the workers of a new master one empties the arena, which need not be the one that has made its file. */
	*begins = status == LEVERET_OK;
	return LEVERET_OK;
}

leveret_arena *php_leveret_apcu_arena(void)
{
	if (EXPECTED(LEVERET_G(apcu_arena))) {
		return LEVERET_G(apcu_arena);
	}
	if (!LEVERET_G(apcu_enabled)) {
		return NULL;
	}
	leveret_arena *arena = find_opened(apcu_name(), true);
	if (arena) {
		return LEVERET_G(apcu_arena) = arena;
	}
	/* It may be fixed at any time, but a retry on each call would cost system calls on each call. */
	if (leveret_now() < LEVERET_G(apcu_retry_at)) {
		return NULL;
	}
	char message[MESSAGE_LEN];
	uint32_t created = 0;
	bool begins;
	/* The directive is the administrator's, the folder may be a script's. */
	if (!apcu_is_private && !php_leveret_may_open(php_leveret_bytes("", 0))) {
		return NULL;
	}
	if (open_apcu(&arena, &created, &begins, message) != LEVERET_OK) {
		LEVERET_G(apcu_retry_at) = leveret_now() + 1;
		log_apcu(&LEVERET_G(apcu_failure_logged), message);
		return NULL;
	}
	arena_keep(arena, apcu_name(), true);
	LEVERET_G(apcu_arena) = arena;
	if (!created) {
		compare_size(arena);
	}
	if (begins) {
		fill_apcu(arena);
	}
	/* It may have been lost at once. */
	return LEVERET_G(apcu_arena);
}

/* --- arenas that are servers of a pool --- */

static leveret_bytes bytes_of(const char *text)
{
	return php_leveret_bytes(text, text ? strlen(text) : 0);
}

leveret_pool *php_leveret_pool_new(void)
{
	leveret_pool *pool = leveret_pool_new();
	leveret_pool_set_option(pool, LEVERET_POOL_ARENA_MEMORY, LEVERET_G(memory));
	leveret_pool_set_option(pool, LEVERET_POOL_ARENA_LOCK_TIMEOUT_MS, LEVERET_G(lock_timeout));
	leveret_pool_set_tls(pool, bytes_of(LEVERET_G(tls_ca_file)), bytes_of(LEVERET_G(tls_peer_name)),
		bytes_of(LEVERET_G(tls_certificate)), bytes_of(LEVERET_G(tls_key)), LEVERET_G(tls_verify));
	return pool;
}

void php_leveret_arenas_tell(void)
{
	char message[MESSAGE_LEN];
	if (leveret_pool_arena_trouble(message, sizeof(message))) {
		log_line(message);
	}
	while (UNEXPECTED(leveret_older_arena(message, sizeof(message)))) {
		log_line(message);
	}
}

/* --- arenas that are lost, and the end --- */

void php_leveret_arena_lost(leveret_arena *arena)
{
	for (php_leveret_opened *opened = LEVERET_G(opened); opened; opened = opened->next) {
		if (opened->arena == arena) {
			opened->lost = true;
		}
	}
	if (LEVERET_G(apcu_arena) == arena) {
		LEVERET_G(apcu_arena) = NULL;
	}
}

void php_leveret_arenas_sweep(void (*forget)(leveret_arena *arena))
{
	php_leveret_opened **link = &LEVERET_G(opened);
	while (*link) {
		php_leveret_opened *opened = *link;
		if (opened->lost) {
			forget(opened->arena);
			leveret_close(opened->arena);
			*link = opened->next;
			pefree(opened, 1);
		} else {
			link = &opened->next;
		}
	}
}

void php_leveret_arenas_check(void)
{
	LEVERET_G(checked_at) = leveret_now();
	for (php_leveret_opened *opened = LEVERET_G(opened); opened; opened = opened->next) {
		if (!opened->lost && UNEXPECTED(leveret_check(opened->arena) == LEVERET_LOST)) {
			php_leveret_arena_lost(opened->arena);
		}
	}
}

void php_leveret_arenas_look(void)
{
	if (LEVERET_G(checked_at) != leveret_now()) {
		php_leveret_arenas_check();
	}
}

void php_leveret_leases_release(void)
{
	for (php_leveret_opened *opened = LEVERET_G(opened); opened; opened = opened->next) {
		leveret_lease_release_all(opened->arena);
	}
}

/* For the given thread, which may have ended: the process's shutdown calls this for threads that left arenas open. */
void php_leveret_arenas_close(zend_leveret_globals *globals)
{
	while (globals->opened) {
		php_leveret_opened *opened = globals->opened;
		globals->opened = opened->next;
		leveret_close(opened->arena);
		pefree(opened, 1);
	}
	globals->apcu_arena = NULL;
}

/* --- phpinfo --- */

static void row(const char *name, const char *format, ...)
{
	char text[MESSAGE_LEN];
	va_list arguments;
	va_start(arguments, format);
	ap_php_vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	php_info_print_table_row(2, name, text);
}

/* Description of an arena, or why it is not open. */
typedef struct description {
	bool is_open, has_stats;
	char text[MESSAGE_LEN]; /* the path, or the reason */
	leveret_stats stats;
} description;

static void arena_describe(leveret_arena *arena, description *is)
{
	is->is_open = true;
	leveret_path(arena, is->text, sizeof(is->text));
	is->has_stats = leveret_get_stats(arena, &is->stats) == LEVERET_OK;
}

/* All of it before the first row is printed: printing may run user code (an output callback), and that may end the
 * request. */
static void arena_info(leveret_bytes wanted, zend_long memory)
{
	description is = { .is_open = false };
	leveret_arena *arena = find_opened(wanted, false);
	uint32_t created;
	if (arena) {
		arena_describe(arena, &is);
	} else if (open_arena(wanted, memory, false, &arena, &created, is.text) == LEVERET_OK) {
		arena_describe(arena, &is);
		leveret_close(arena);
	}
	if (!is.is_open) {
		row("Arena", "%.*s: not open (%s)", (int) wanted.len, (const char *) wanted.data, is.text);
		return;
	}
	row("Arena", "%s", wanted.len ? is.text : "private to this process and those forked from it");
	if (!is.has_stats) {
		return;
	}
	uint64_t reads = is.stats.hits + is.stats.misses;
	row("Arena size", "%" PRIu64 " bytes", is.stats.memory_limit);
	row("Arena use", "%" PRIu64 " items, %" PRIu64 " bytes; file: %" PRIu64 " bytes", is.stats.items,
		is.stats.item_bytes, is.stats.memory_allocated);
	row("Hit rate", "%.1f %% of %" PRIu64 " reads", reads ? 100.0 * (double) is.stats.hits / (double) reads : 0.0,
		reads);
	row("Evicted, expired", "%" PRIu64 ", %" PRIu64, is.stats.evicted, is.stats.expired);
	row("Attached processes", "%u", is.stats.attached);
}

void php_leveret_arena_info(void)
{
	arena_info(php_leveret_bytes(LEVERET_G(arena), strlen(LEVERET_G(arena))), LEVERET_G(memory));
}

void php_leveret_apcu_arena_info(void)
{
	if (!apcu_is_private || LEVERET_G(apcu_enabled)) {
		arena_info(apcu_name(), LEVERET_G(apcu_memory));
	}
}
