/* redis/redis.h: what the files of the drop-in module redis share.
 *
 * A command is built as words, queued on the link and sent; its reply is read whole into nodes before a value of it is
 * decoded, because decoding may run user code (__wakeup), which may use the same object. Of an object that is left in
 * the middle of a reply (an exception, memory_limit) the link closes its connection. */
#ifndef PHP_LEVERET_REDIS_H
#define PHP_LEVERET_REDIS_H

#include "base/bytes.h"
#include "codec/serializer.h"

/* --- numbers that scripts see --- */

enum { REDIS_ATOMIC = 0, REDIS_MULTI = 1, REDIS_PIPELINE = 2 };
enum {
	REDIS_SERIALIZER_NONE,
	REDIS_SERIALIZER_PHP,
	REDIS_SERIALIZER_IGBINARY,
	REDIS_SERIALIZER_MSGPACK,
	REDIS_SERIALIZER_JSON
};
enum { REDIS_COMPRESSION_NONE, REDIS_COMPRESSION_LZF, REDIS_COMPRESSION_ZSTD, REDIS_COMPRESSION_LZ4 };
enum { REDIS_SCAN_RETRY = 1, REDIS_SCAN_PREFIX = 2 };
enum { REDIS_SUBSCRIPTIONS = 3 }; /* SUBSCRIBE, PSUBSCRIBE, SSUBSCRIBE */

/* --- replies --- */

/* A reply, or an element of one. */
typedef struct redis_node {
	uint32_t kind; /* leveret_redis_kind */
	uint32_t count;
	int64_t number;
	zend_string *text; /* of kinds that have one */
	struct redis_node *items;
} redis_node;

struct redis_object;
/* Converts a reply. The node stays the caller's. Runs user code. */
typedef void (*redis_shape)(struct redis_object *self, const redis_node *reply, void *context, zval *value);

/* A command of a pipeline or a transaction, whose reply is still to come. */
typedef struct redis_queued {
	redis_shape shape; /* NULL: MULTI or EXEC inside a pipeline */
	void *context;     /* zend_array of hMGet's fields, or NULL */
} redis_queued;

/* --- the object --- */

typedef struct redis_object {
	leveret_redis *link;
	bool has_server; /* false before the constructor, and after a connect() that failed */
	bool is_persistent, is_tls_verified;
	zend_long port;
	uint32_t database; /* that a connection begins with */
	double timeout, read_timeout;
	zend_string *host, *persistent_id, *user, *password;
	zend_string *peer_name, *ca_file, *certificate, *key;
	zend_string *prefix; /* NULL = none */
	zend_string *error;  /* of getLastError() */
	zend_string *server_name, *server_version;
	int serializer, compression, scan;
	zend_long compression_level;
	bool ignores_numbers, is_literal, nil_is_null, keepalive;
	leveret_redis_tuning tuning;
	int mode;
	redis_queued *queue;
	uint32_t queued, queue_room;
	HashTable *subscriptions[REDIS_SUBSCRIPTIONS];
	zend_object std;
} redis_object;

static zend_always_inline redis_object *redis_from(zend_object *object)
{
	return (redis_object *) ((char *) object - offsetof(redis_object, std));
}

#define REDIS_SELF() redis_object *self = redis_from(Z_OBJ_P(ZEND_THIS))

/* --- a command --- */

#define REDIS_WORDS_INLINE 8

/* The words of one command, the first is its name. */
typedef struct redis_words {
	redis_object *self;
	leveret_bytes *list;
	zend_string **owners; /* of each word, NULL: a literal */
	uint32_t count, room;
	leveret_bytes first_list[REDIS_WORDS_INLINE];
	zend_string *first_owners[REDIS_WORDS_INLINE];
} redis_words;

void php_leveret_redis_words_begin(redis_words *words, redis_object *self, const char *name);
void php_leveret_redis_words_free(redis_words *words);
void php_leveret_redis_add_literal(redis_words *words, const char *word);
void php_leveret_redis_add_string(redis_words *words, zend_string *string);
/* Takes `string` over. */
void php_leveret_redis_add_own(redis_words *words, zend_string *string);
void php_leveret_redis_add_long(redis_words *words, zend_long number);
void php_leveret_redis_add_double(redis_words *words, double number);
/* As text, without a serializer. Runs user code. */
void php_leveret_redis_add_text(redis_words *words, zval *value);
/* The key behind the object's prefix; released by the caller. */
static zend_always_inline zend_string *php_leveret_redis_full_key(const redis_object *self, zend_string *key)
{
	const zend_string *prefix = self->prefix;
	return UNEXPECTED(prefix) ? zend_string_concat2(ZSTR_VAL(prefix), ZSTR_LEN(prefix), ZSTR_VAL(key), ZSTR_LEN(key))
							  : zend_string_copy(key);
}

/* Behind the prefix. */
void php_leveret_redis_add_key(redis_words *words, zend_string *key);
void php_leveret_redis_add_key_of(redis_words *words, zval *key);
/* Serialized and compressed, as the object's options say. Runs user code. */
void php_leveret_redis_add_value(redis_words *words, zval *value);

/* --- redis/table.c: one row for each method that sends a command --- */

struct redis_row;
/* Decisions of a builder besides its words. */
typedef struct redis_call {
	const struct redis_row *row;
	redis_words words;
	redis_shape shape;
	void *context;
} redis_call;

/* Parses the method's arguments and adds the words behind the name. False: the method returns false, or an exception is
 * pending. */
typedef bool (*redis_builder)(INTERNAL_FUNCTION_PARAMETERS, redis_call *call);

typedef struct redis_row {
	const char *method, *command;
	const char *letters; /* NULL: `build` does it. See redis/arguments.c */
	redis_builder build;
	redis_shape shape;
} redis_row;

extern const redis_row php_leveret_redis_rows[];
extern const uint32_t php_leveret_redis_row_count;

/* --- redis/arguments.c --- */

bool php_leveret_redis_build_by_letters(INTERNAL_FUNCTION_PARAMETERS, redis_call *call);

/* --- redis/call.c --- */

extern zend_class_entry *php_leveret_redis_ce, *php_leveret_redis_exception_ce;

/* The object has a server, or an exception is thrown. */
bool php_leveret_redis_is_ready(redis_object *self);
/* Queues, sends and reads, as the object's mode says. The words stay the caller's. */
void php_leveret_redis_send(
	redis_object *self, redis_words *words, redis_shape shape, void *context, bool is_raw, zval *return_value);
/* Queues it on the link: false, an exception is pending. */
bool php_leveret_redis_request(redis_object *self, redis_words *words, bool is_raw);
/* Sends queued requests of the link. False: an exception is pending. */
bool php_leveret_redis_flush(redis_object *self, uint64_t *turn);
/* One whole reply; the node is freed by the caller. False: an exception is pending. */
bool php_leveret_redis_read(redis_object *self, uint64_t turn, redis_node *node);
/* Sends one command and reads its reply, in any mode. Commands on strings are executed in the arena of a server of this host
 * where possible. */
bool php_leveret_redis_ask(redis_object *self, redis_words *words, bool is_raw, redis_node *reply);
void php_leveret_redis_node_free(redis_node *node);
/* Throws what the link says, and forgets the queue where the connection is gone. */
void php_leveret_redis_failed(redis_object *self);
void php_leveret_redis_forget_queue(redis_object *self);
void php_leveret_redis_enqueue(redis_object *self, redis_shape shape, void *context);
/* Keeps the server's error for getLastError(), NULL: none. */
void php_leveret_redis_set_error(redis_object *self, zend_string *text);
void php_leveret_redis_throw(const char *text);

/* --- redis/arena.c --- */

/* MGET and STRLEN from the arena of a server of this host. False: nothing was done, the command is to be sent. Runs user code. */
bool php_leveret_redis_read_arena(redis_object *self, const redis_words *words, redis_shape shape, zval *value);
/* get() of a key with its prefix. False: ask the server. Runs user code if the value is packed. */
bool php_leveret_redis_get_from_arena(redis_object *self, zend_string *key, zval *return_value);

/* --- redis/reply.c --- */

#define REDIS_SHAPE(name) \
	void php_leveret_redis_##name(redis_object *self, const redis_node *reply, void *context, zval *value)
REDIS_SHAPE(int);
REDIS_SHAPE(bool);
REDIS_SHAPE(one);
REDIS_SHAPE(string); /* unpacked */
REDIS_SHAPE(raw);    /* a string as it is */
REDIS_SHAPE(double);
REDIS_SHAPE(type);
REDIS_SHAPE(list);
REDIS_SHAPE(list_raw);
REDIS_SHAPE(list_double);
REDIS_SHAPE(pairs); /* keys and values as they are */
REDIS_SHAPE(pairs_values);
REDIS_SHAPE(pairs_scores);
REDIS_SHAPE(pairs_counts);
REDIS_SHAPE(fields); /* context: the fields that were asked for */
REDIS_SHAPE(any);
REDIS_SHAPE(any_literal); /* OPT_REPLY_LITERAL is looked at */
REDIS_SHAPE(any_strings);
REDIS_SHAPE(meta);
REDIS_SHAPE(position);
REDIS_SHAPE(positions);
/* redis/reply_special.c */
REDIS_SHAPE(info);
REDIS_SHAPE(client_info);
REDIS_SHAPE(client_list);
REDIS_SHAPE(tree);
REDIS_SHAPE(tracking);
REDIS_SHAPE(functions);
REDIS_SHAPE(pops);
REDIS_SHAPE(pops_scores);
REDIS_SHAPE(places);
REDIS_SHAPE(places_more);
REDIS_SHAPE(messages);
REDIS_SHAPE(streams);
REDIS_SHAPE(claimed);
REDIS_SHAPE(claimed_auto);
REDIS_SHAPE(stream_info);
REDIS_SHAPE(user);
REDIS_SHAPE(log);
REDIS_SHAPE(select);
REDIS_SHAPE(masters);

/* The text of a reply's line, NULL for nil and errors. Released by the caller. `is_thrown`: errors are kept and thrown,
 * as most methods do. */
zend_string *php_leveret_redis_line(redis_object *self, const redis_node *reply);
/* An error of a list: kept, never thrown. True: it was one. */
bool php_leveret_redis_is_list(redis_object *self, const redis_node *reply);
/* Keeps the error's text and throws it, unless its prefix is one that methods answer with false. */
void php_leveret_redis_take_error(redis_object *self, const redis_node *reply);
void php_leveret_redis_zip(zval *list, int scores);
void php_leveret_redis_add_lines(redis_object *self, const redis_node *reply, int unpack, zval *list);
enum { REDIS_UNPACK_NONE, REDIS_UNPACK_KEYS, REDIS_UNPACK_VALUES, REDIS_UNPACK_ALL };
enum { REDIS_SCORES_NONE, REDIS_SCORES_INT, REDIS_SCORES_DOUBLE };

/* --- redis/value.c --- */

/* NULL: an exception is pending. */
zend_string *php_leveret_redis_pack(redis_object *self, zval *value);
zend_string *php_leveret_redis_serialize(redis_object *self, zval *value);
/* False: it is none of this serializer, and *value is not set. */
bool php_leveret_redis_unserialize(redis_object *self, zend_string *data, zval *value);
bool php_leveret_redis_unpack(redis_object *self, zend_string *data, zval *value);
bool php_leveret_redis_has_compression(zend_long compression);
/* NULL: it stays as it is. */
zend_string *php_leveret_redis_compress(int compression, zend_long level, const char *data, size_t len);
/* NULL: it is none of this compression; or it is, and memory_limit leaves no room for what is in it. */
zend_string *php_leveret_redis_uncompress(int compression, const char *data, size_t len, bool *is_too_large);

/* --- redis/object.c, redis/options.c --- */

/* Replaces the string at `place` by `string`. */
void php_leveret_redis_keep(zend_string **place, zend_string *string);
bool php_leveret_redis_take_auth(zval *value, zend_string **user, zend_string **password);
/* All that a new connection begins with. Takes `host` over. */
void php_leveret_redis_begin(redis_object *self, zend_string *host, zend_long port);
/* The options of a stream context's "ssl" that are looked at. False: it is no array. */
bool php_leveret_redis_take_tls(redis_object *self, zval *options);
void php_leveret_redis_free_strings(redis_object *self);
/* Tells the link where the server is and how long to wait. */
void php_leveret_redis_tell_server(redis_object *self);
void php_leveret_redis_tell_tuning(redis_object *self);
/* The options array of a constructor. False: an exception is pending. */
bool php_leveret_redis_configure(redis_object *self, HashTable *options);
void php_leveret_redis_classes(void);
zend_object *php_leveret_redis_create(zend_class_entry *ce);
void php_leveret_redis_free_object(zend_object *object);
extern zend_object_handlers php_leveret_redis_handlers;

static zend_always_inline bool redis_is(const zend_string *text, const char *word)
{
	return php_leveret_is_word(ZSTR_VAL(text), ZSTR_LEN(text), word);
}

#endif
