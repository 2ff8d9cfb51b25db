/* memcached/memcached.h: what the files of the drop-in module memcached share.
 *
 * Values are encoded before a batch begins and decoded after its answers were copied out, because both may run user
 * code (__serialize, __wakeup), and that may use the same object: no batch of leveret_pool is ever open across a call
 * into PHP. */
#ifndef PHP_LEVERET_MEMCACHED_H
#define PHP_LEVERET_MEMCACHED_H

#include "base/bytes.h"
#include "client/copy.h"
#include "client/payload.h"
#include "codec/decode.h"
#include "decoded/table.h"

/* --- numbers that scripts see --- */

enum {
	MEMC_OPT_COMPRESSION = -1001,
	MEMC_OPT_PREFIX_KEY = -1002,
	MEMC_OPT_SERIALIZER = -1003,
	MEMC_OPT_COMPRESSION_TYPE = -1004,
	MEMC_OPT_STORE_RETRY_COUNT = -1005,
	MEMC_OPT_USER_FLAGS = -1006,
	MEMC_OPT_COMPRESSION_LEVEL = -1007,
	MEMC_OPT_ITEM_SIZE_LIMIT = -1008
};

enum {
	MEMC_SERIALIZER_PHP = 1,
	MEMC_SERIALIZER_IGBINARY,
	MEMC_SERIALIZER_JSON,
	MEMC_SERIALIZER_JSON_ARRAY,
	MEMC_SERIALIZER_MSGPACK
};
enum { MEMC_COMPRESSION_ZLIB = 1, MEMC_COMPRESSION_FASTLZ, MEMC_COMPRESSION_ZSTD };
enum { MEMC_GET_PRESERVE_ORDER = 1, MEMC_GET_EXTENDED = 2 };

enum {
	MEMC_SUCCESS = 0,
	MEMC_FAILURE = 1,
	MEMC_HOST_LOOKUP_FAILURE = 2,
	MEMC_CONNECTION_FAILURE = 3,
	MEMC_WRITE_FAILURE = 5,
	MEMC_READ_FAILURE = 6,
	MEMC_UNKNOWN_READ_FAILURE = 7,
	MEMC_PROTOCOL_ERROR = 8,
	MEMC_CLIENT_ERROR = 9,
	MEMC_SERVER_ERROR = 10,
	MEMC_DATA_EXISTS = 12,
	MEMC_NOTSTORED = 14,
	MEMC_STORED = 15,
	MEMC_NOTFOUND = 16,
	MEMC_SOME_ERRORS = 19,
	MEMC_NO_SERVERS = 20,
	MEMC_END = 21,
	MEMC_DELETED = 22,
	MEMC_VALUE = 23,
	MEMC_STAT = 24,
	MEMC_ITEM = 25,
	MEMC_ERRNO = 26,
	MEMC_NOT_SUPPORTED = 28,
	MEMC_FETCH_NOTFINISHED = 30,
	MEMC_TIMEOUT = 31,
	MEMC_BUFFERED = 32,
	MEMC_BAD_KEY_PROVIDED = 33,
	MEMC_SERVER_MARKED_DEAD = 35,
	MEMC_E2BIG = 37,
	MEMC_INVALID_ARGUMENTS = 38,
	MEMC_KEY_TOO_BIG = 39,
	MEMC_AUTH_PROBLEM = 40,
	MEMC_AUTH_FAILURE = 41,
	MEMC_DEPRECATED = 45,
	MEMC_SERVER_TEMPORARILY_DISABLED = 47,
	MEMC_SERVER_MEMORY_ALLOCATION_FAILURE = 48,
	MEMC_PAYLOAD_FAILURE = -1001
};

/* --- the object --- */

/* libmemcached's behaviours that have a number of their own; the highest is 37. */
#define MEMC_BEHAVIORS 40
/* Default of memcached.compression_level; zstd's own. */
#define MEMC_LEVEL_DEFAULT 3
/* memcached's own limit of a key, prefix included. */
#define MEMC_KEY_MAX 250
/* libmemcached's own limit of a prefix. */
#define MEMC_PREFIX_MAX 127
/* Of a server that was added without a port. */
#define MEMC_PORT 11211
/* Those that other files than memcached/link.c ask for. */
enum { MEMC_VERIFY_KEY = 13, MEMC_BINARY_PROTOCOL = 18, MEMC_NOREPLY = 26 };

/* Servers, connections and options: of one object, or shared by all that name the same persistent id. */
typedef struct memc_link {
	leveret_pool *pool;
	zend_string *prefix; /* persistent or of the request, as the link; NULL = none */
	bool is_persistent;
	bool compression;
	zend_long compression_type;
	zend_long compression_level;
	bool has_level; /* it was set */
	zend_long serializer;
	zend_long user_flags; /* -1: none */
	zend_long store_retries;
	zend_long item_size_limit; /* 0: none */
	leveret_cipher *cipher;    /* NULL: values are not encrypted */
	zend_long behaviors[MEMC_BEHAVIORS];
} memc_link;

typedef struct memc_object {
	memc_link *link; /* NULL until the constructor has run */
	bool is_pristine;
	bool owns_link;     /* it is freed with the object */
	zend_long code;     /* of the last call */
	zend_string *error; /* what the server said, or NULL */
	zend_long error_code;
	zend_long error_errno;
	int32_t disconnected; /* index of the server to which the connection failed last; -1: none */
	bool is_fetching;     /* getDelayed() was called, its answers are not all fetched */
	bool has_lost;        /* some of them got lost on their way */
	bool has_damaged;     /* some of them make no value */
	uint32_t reachable;   /* of its keys, those whose server may be reached as far as is known */
	zend_object std;
} memc_object;

static zend_always_inline memc_object *memc_from(zend_object *object)
{
	return (memc_object *) ((char *) object - offsetof(memc_object, std));
}

/* The object of a method call, which has a link; with no constructor run: throws and leaves the method. */
#define MEMC_SELF() \
	memc_object *self = memc_from(Z_OBJ_P(ZEND_THIS)); \
	if (UNEXPECTED(!self->link)) { \
		zend_throw_error(NULL, "Memcached constructor was not called"); \
		RETURN_THROWS(); \
	}

extern zend_class_entry *php_leveret_memcached_ce;

/* --- memcached/object.c, memcached/session.c: called by memcached/module.c --- */

void php_leveret_memcached_links_init(HashTable *links);
void php_leveret_memcached_class(void);
void php_leveret_memcached_session(void);
void php_leveret_memcached_session_init(HashTable *pools);

/* --- memcached/result.c --- */

/* What PHP's side says, which is no error of getLastError…(). */
static zend_always_inline void memc_result(memc_object *self, zend_long code)
{
	self->code = code;
	self->error_code = MEMC_SUCCESS;
	self->error_errno = 0;
	if (UNEXPECTED(self->error)) {
		zend_string_release(self->error);
		self->error = NULL;
	}
}

/* libmemcached's error: its codes, except answers, are also those of getLastError…(). */
void php_leveret_memc_failure(memc_object *self, zend_long code);
/* As php_leveret_memc_failure, and keeps what the server said. */
void php_leveret_memc_result_of(memc_object *self, const leveret_answer *answer);
void php_leveret_memc_result_of_copy(memc_object *self, const client_copy *copy);
bool php_leveret_memc_is_failure(zend_long code);
const char *php_leveret_memc_text(zend_long code);

/* --- memcached/link.c: links and their options --- */

memc_link *php_leveret_memc_link_new(bool is_persistent);
void php_leveret_memc_link_free(memc_link *link);
/* What persistent links and pools of sessions go by: where arenas lie and which files may be opened, then their name.
 * Those of another site have other arenas. */
zend_string *php_leveret_memc_persistent_name(const char *name, size_t len);
/* A server behind the others: SUCCESS or INVALID_ARGUMENTS. The port as it is to be told; 0 where there is none. */
int php_leveret_memc_link_add_server(memc_link *link, zend_string *host, zend_long port, zend_long weight);
/* One of libmemcached's behaviours: SUCCESS, or why not. */
zend_long php_leveret_memc_link_set(memc_link *link, zend_long option, zend_long value);
/* At most MEMC_PREFIX_MAX bytes. False: one of them is none of a key. */
bool php_leveret_memc_link_set_prefix(memc_link *link, zend_string *text);
/* The distribution by virtual buckets, and the server of each. */
void php_leveret_memc_link_set_buckets(memc_link *link, const uint32_t *servers, size_t count);

/* --- memcached/words.c --- */

/* libmemcached's configuration string. NULL, or the word that was not understood, to be released. */
zend_string *php_leveret_memc_configure(memc_link *link, const zend_string *words);

/* --- memcached/value.c --- */

/* Runs user code. False: an exception is pending, or a warning was given and nothing can be stored. */
bool php_leveret_memc_encode(memc_link *link, zval *value, client_payload *payload);
/* NULL: another key has encrypted it, or none. */
zend_string *php_leveret_memc_decrypt(const leveret_cipher *cipher, zend_string *data);
/* What php_leveret_decode is told. */
static zend_always_inline int memc_wanted(const memc_link *link)
{
	return (link->serializer != MEMC_SERIALIZER_JSON_ARRAY ? PHP_LEVERET_JSON_OBJECTS : 0)
		| (link->serializer == MEMC_SERIALIZER_MSGPACK ? PHP_LEVERET_MSGPACK_OBJECTS : 0);
}
/* Runs user code. Takes `data` over. False: *value is not set; the data cannot be read, and the result says so, or an
 * exception is pending. */
bool php_leveret_memc_decode(memc_object *self, const leveret_meta *meta, zend_string *data, zval *value);
/* The application's 16 bits of an item's flags. */
uint32_t php_leveret_memc_user_flags(const leveret_meta *meta);

/* --- memcached/write.c --- */

/* One store: encodes, sends, sets the result code. `number` is the token of a cas. */
bool php_leveret_memc_store_one(memc_object *self, leveret_operation operation, zend_string *server_key,
	zend_string *key, zval *value, zend_long expiration, uint64_t number);

/* --- memcached/call.c: one request, or a batch --- */

/* [server key,] array, [number]: what the methods for many keys take. False: an exception is pending. */
bool php_leveret_memc_take_many(
	zend_execute_data *execute_data, bool by_key, zend_string **server_key, HashTable **array, zend_long *number);
/* Calls $callback($this, $second). Nothing is taken over. */
void php_leveret_memc_call_back(memc_object *self, zend_fcall_info *call, zend_fcall_info_cache *cache, zval *second);

/* What the server is chosen by; nothing: by the key itself. */
static zend_always_inline leveret_bytes memc_group(const zend_string *server_key)
{
	return server_key ? php_leveret_string(server_key) : php_leveret_bytes(NULL, 0);
}

/* Whether the key (with the prefix) may be used in the protocol that the script has chosen; if not the result code says
 * so. */
bool php_leveret_memc_key_is_good(memc_object *self, const zend_string *key);

/* `key` behind the prefix: released by the caller. */
static zend_always_inline zend_string *memc_full_key(const memc_link *link, zend_string *key)
{
	if (EXPECTED(!link->prefix)) {
		return zend_string_copy(key);
	}
	return zend_string_concat2(ZSTR_VAL(link->prefix), ZSTR_LEN(link->prefix), ZSTR_VAL(key), ZSTR_LEN(key));
}

/* One request and its answer; sets the result code. True: `copy`, if there is one, is filled except for the key, and
 * needs php_leveret_client_copy_free. */
bool php_leveret_memc_call(memc_object *self, leveret_request *request, client_copy *copy);
/* All answers of the open batch that arrived or can be waited for, up to `limit`. `of_keys`: their names are keys,
 * without the prefix. */
void php_leveret_memc_gather(memc_object *self, client_copies *copies, bool of_keys, uint32_t limit);

/* --- reads --- */

/* What chooses the server of a read. As in the original an empty server key is none here, and one to all that
 * writes. */
static zend_always_inline zend_string *memc_group_of_read(zend_string *server_key)
{
	return server_key && ZSTR_LEN(server_key) ? server_key : NULL;
}

/* What the decoded-value cache knows values of this link by. */
static zend_always_inline uint32_t memc_view_of(const memc_link *link)
{
	return PHP_LEVERET_VIEW(LEVERET_PECL_MEMCACHED, memc_wanted(link));
}

/* Nothing that only a key of encryption opens is kept. */
static zend_always_inline bool memc_find_decoded(
	const memc_link *link, leveret_arena *arena, zend_string *key, zval *value)
{
	return !link->cipher && php_leveret_decoded_get(arena, memc_view_of(link), key, 0, value);
}

/* --- memcached/read.c --- */

/* Takes copy->data over. False: PAYLOAD_FAILURE, NOTFOUND where a key does not fit, or an exception. */
bool php_leveret_memc_give_value(memc_object *self, client_copy *copy, bool is_extended, zval *return_value);
/* The same, and offers an array to the decoded-value cache. */
bool php_leveret_memc_give_and_offer(memc_object *self, uint64_t arena, zend_string *key, client_copy *copy,
	const leveret_version *version, zval *value);

/* --- memcached/many.c --- */

/* The keys of a batch as the script gave them, in the order of their requests. */
typedef struct memc_names {
	zend_string **list;
	uint32_t count;
} memc_names;

/* `names` are freed by the caller. Keys that break the rules are passed over, as in the original. Runs user code
 * (__toString). */
void php_leveret_memc_names_take(memc_object *self, HashTable *keys, memc_names *names);
void php_leveret_memc_names_free(memc_names *names);
/* Begins a batch of gets. Invalid keys are removed. */
void php_leveret_memc_ask(memc_object *self, zend_string *server_key, bool with_cas, memc_names *names);

/* Its server could not be reached at all: as in the original the key is then missing, since applications take any other
 * code for the failure of the whole call. */
static inline bool memc_is_unreached(zend_long code)
{
	switch (code) {
		case MEMC_HOST_LOOKUP_FAILURE:
		case MEMC_CONNECTION_FAILURE:
		case MEMC_ERRNO:
		case MEMC_SERVER_MARKED_DEAD:
		case MEMC_SERVER_TEMPORARILY_DISABLED:
			return true;
		default:
			return false;
	}
}

#endif
