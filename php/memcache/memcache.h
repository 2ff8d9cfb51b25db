/* memcache/memcache.h: what the files of the drop-in module memcache share.
 *
 * An object's property `connection` is a resource; behind it is a link: the servers, their settings, and the pool that
 * talks to them. User code runs while values are encoded or decoded and in failure callbacks. It may use the same
 * object, close it or add servers: so no batch of leveret_pool is open across it, and the link is asked for again
 * (php_leveret_mmc_link_of) after it. */
#ifndef PHP_LEVERET_MEMCACHE_H
#define PHP_LEVERET_MEMCACHE_H

#include "client/copy.h"
#include "client/payload.h"

/* --- numbers that scripts see --- */

enum {
	MMC_SERIALIZED = 1,
	MMC_COMPRESSED = 2,
	MMC_TYPE_BOOL = 0x100,
	MMC_TYPE_LONG = 0x300,
	MMC_TYPE_DOUBLE = 0x700,
	MMC_USER1 = 0x10000,
	MMC_USER2 = 0x20000,
	MMC_USER3 = 0x40000,
	MMC_USER4 = 0x80000
};

/* --- the link --- */

/* memcached's limit; longer keys are cut. */
#define MMC_KEY_MAX 250

typedef struct mmc_server {
	zend_string *host; /* as the script gave it */
	zend_long port, udp_port;
	zend_long weight;
	double timeout;  /* seconds */
	zend_long retry; /* seconds; negative: after a failure never again */
	bool is_persistent;
	bool is_off; /* added with the status false */
} mmc_server;

/* Connections to a list of servers. Those of persistent servers outlive the request: an object with the same list uses
 * them again. */
typedef struct mmc_pool {
	leveret_pool *pool;
	bool is_persistent;
	zend_long failover, redundancy; /* as they were last set */
} mmc_pool;

typedef struct mmc_link {
	mmc_server *servers;
	uint32_t count, room;
	mmc_pool *pool; /* NULL until it is needed, and after the list has changed */
	bool is_binary;
	bool is_of_sessions; /* copies by memcache.session_redundancy */
	zend_long ring, hash;
	zend_string *user, *password; /* the user; NULL = none */
	zend_string *prefix;          /* of all keys; NULL = none */
	zend_long threshold;          /* values from this many bytes on are compressed; 0 = only on demand */
	double savings;               /* if that saves this share */
	zval callback;                /* of failures; UNDEF = none */
} mmc_link;

extern zend_class_entry *php_leveret_memcache_pool_ce, *php_leveret_memcache_ce;

/* --- memcache/object.c --- */

void php_leveret_memcache_classes(void);
const zend_function_entry *php_leveret_memcache_functions(void);
/* The object of a call: $this, or the first argument of a function, which is then not counted among the others. */
#define MMC_OBJECT_PARAM(object) \
	if (!object) { \
		Z_PARAM_OBJECT_OF_CLASS(object, php_leveret_memcache_pool_ce) \
	}
#define MMC_ARGUMENTS(min, max) ZEND_PARSE_PARAMETERS_START((min) + !object, (max) + !object)

/* --- memcache/connection.c --- */

void php_leveret_mmc_connections_init(void);
/* The link of an object, or NULL: there is no server yet, and a warning was given. */
mmc_link *php_leveret_mmc_link_of(zval *object);
/* The same, and no warning. */
mmc_link *php_leveret_mmc_link_if_any(zval *object);
/* The same, and where there is none a new one. */
mmc_link *php_leveret_mmc_link_make(zval *object);

/* --- memcache/link.c --- */

void php_leveret_memcache_pools_init(HashTable *pools);
mmc_link *php_leveret_mmc_link_new(bool is_of_sessions);
void php_leveret_mmc_link_free(mmc_link *link);
/* Index of the server, added if it is not in the list. */
uint32_t php_leveret_mmc_link_add(mmc_link *link, const mmc_server *server);
/* -1: there is none. */
int64_t php_leveret_mmc_link_find(const mmc_link *link, const zend_string *host, zend_long port);
/* Forgets the servers. */
void php_leveret_mmc_link_close(mmc_link *link);
/* The pool, with the settings of this moment. */
leveret_pool *php_leveret_mmc_pool_of(mmc_link *link);
/* Sets the credentials for servers from now on, if the protocol has passwords. */
void php_leveret_mmc_link_sign_in(mmc_link *link, zend_string *user, zend_string *password);
/* Gives a server's settings to the pool. */
void php_leveret_mmc_link_tune(mmc_link *link, uint32_t index);

/* --- memcache/prefix.c --- */

/* As a request begins and ends. */
void php_leveret_mmc_prefix_begin(void);
void php_leveret_mmc_prefix_end(void);
/* The prefix of keys that the directives memcache.prefix_* ask for now, or session_prefix_* did when the request began;
 * NULL = none. */
zend_string *php_leveret_mmc_prefix(bool of_sessions);

/* --- memcache/failure.c: what scripts are told of servers that fail --- */

typedef struct mmc_failure {
	zend_string *host;
	zend_long port, udp_port;
	zend_string *text;
	zend_long number;
	bool is_answer; /* the server has answered: no callback is asked */
} mmc_failure;

typedef struct mmc_failures {
	mmc_failure *list;
	uint32_t count;
} mmc_failures;

/* Takes note of what failed in the open batch. */
void php_leveret_mmc_failures_gather(mmc_link *link, mmc_failures *failures);
/* Takes note of an answer that says an error; of a mere "no" it does not. */
void php_leveret_mmc_failures_answer(mmc_link *link, const leveret_answer *answer, mmc_failures *failures);
/* Notices, or calls of the failure callback: user code. Frees the list. */
void php_leveret_mmc_failures_tell(zval *object, mmc_failures *failures);

/* --- memcache/call.c: one request, or a batch --- */

/* The key as it is sent: behind the prefix, cut, without spaces. NULL: it is empty, and a warning was given. */
zend_string *php_leveret_mmc_key(const mmc_link *link, zend_string *key);
/* Begins a batch. */
leveret_pool *php_leveret_mmc_begin(mmc_link *link);
/* Runs the open batch and copies its answers. */
void php_leveret_mmc_run(mmc_link *link, client_copies *copies, mmc_failures *failures);
/* One request: its code. `copy` is filled if that is SUCCESS, and php_leveret_client_copy_free is due. */
int32_t php_leveret_mmc_call(mmc_link *link, const leveret_request *request, client_copy *copy, mmc_failures *failures);

/* --- memcache/value.c --- */

/* Runs user code. False: an exception is pending, or a warning was given. `link` is read before, and not used after
 * it. */
bool php_leveret_mmc_encode(const mmc_link *link, zval *value, zend_long flags, client_payload *payload);
/* Runs user code. Takes copy->data over. False: *value is not set; a notice was given, or an exception is pending. */
bool php_leveret_mmc_decode(client_copy *copy, zval *value);
/* An item's flags as scripts are told them. */
zend_long php_leveret_mmc_flags(const leveret_meta *meta);

/* --- memcache/session.c --- */

void php_leveret_memcache_session(void);

#endif
