/* leveret.h: the C ABI of Leveret. Generated from crates/leveret-ffi by its test (LEVERET_WRITE_HEADER=1 cargo test -p leveret-ffi): edit there.
 *
 * Any thread may call any function, but a pool is used by one thread at a time. No call keeps a lock, memory or a pointer into
 * shared memory beyond its return, so host code may longjmp between any two calls. `now` is a moment of the arena's clock, in
 * seconds; 0 = read the clock (4 ns). `deadline` is the second from which on an item is dead; LEVERET_NEVER = it lives until it is
 * evicted. Strings are pointer and length. Pointers must not be NULL, except where said; what a call fills need not be initialised.
 * A number that an enum does not name is refused as each function says. What frees or closes a handle takes NULL. A process ends (abort)
 * if the engine finds its own code broken; no Rust panic unwinds into C.
 */

#ifndef LEVERET_H
#define LEVERET_H

#include <stddef.h>
#include <stdint.h>

// What the form begins with.
#define LEVERET_COMPACT_MAGIC 202

// The second byte.
#define LEVERET_COMPACT_PLAIN 1

// The second byte where objects of PHP are in it.
#define LEVERET_COMPACT_WITH_OBJECTS 2

// Bytes of both.
#define LEVERET_COMPACT_HEAD_LEN 2

// Longer strings have no number.
#define LEVERET_COMPACT_STRING_MAX 64

// Numbers of strings that fit into two bytes.
#define LEVERET_COMPACT_STRINGS_NEAR 8192

// Numbers of keys that fit into the tag.
#define LEVERET_COMPACT_SHAPES_NEAR 32

// Arrays in arrays: a scalar in a list is at depth 1.
#define LEVERET_COMPACT_DEPTH_MAX 128

// Bytes of a count, a length or a number: seven bits a byte, the low ones first, up to 2^32 - 1.
#define LEVERET_COMPACT_NUMBER_LEN_MAX 5

// How many keys leveret_ask_for can ask for at once.
#define LEVERET_AHEAD 32

// answer->request of a request that has no answer.
#define LEVERET_UNANSWERED UINT32_MAX

// How an item is read, or'd: the key's hash is known.
#define LEVERET_READ_HASHED 1

// Tells found.cas. The first time it may take the shard's lock.
#define LEVERET_READ_CAS 2

// Counts nothing, and the item does not look read.
#define LEVERET_READ_UNTRACED 4

// A deadline that never comes.
#define LEVERET_NEVER UINT32_MAX

// How a call ended.
typedef enum leveret_status {
  // Done: hit, stored, deleted, granted.
  LEVERET_OK = 0,
  // There is no live item.
  LEVERET_MISS,
  // Add: there is one already. Cas: another version or value is there.
  LEVERET_EXISTS,
  // The item is not a number that this operation may count.
  LEVERET_NOT_NUMBER,
  // Copy: the version was recycled meanwhile; find again.
  LEVERET_RETRY,
  // The shard's lock was not to be had within the lock timeout.
  LEVERET_BUSY,
  // The value is above leveret_value_max(); a plain set has removed the old item.
  LEVERET_TOO_LARGE,
  // The key is above leveret_key_max().
  LEVERET_KEY_TOO_LONG,
  // No room could be made, and a plain set has removed the old item; for a walk: the buffer is too small.
  LEVERET_NO_MEMORY,
  // The arena's file was truncated, replaced or unlinked: close it and open it again.
  LEVERET_LOST,
  // Open: the message says why and how to fix it. Otherwise: this process cannot write to the arena (process table
  // full, no life sign, no descriptor left).
  LEVERET_FAILED,
  // Lease: another process computes; up to 20 ms have passed. Look for the value, then ask again.
  LEVERET_WAIT,
  // Lease: compute without one.
  LEVERET_NO_LEASE,
} leveret_status;

// The next step.
typedef enum leveret_step {
  // There is an item: fetch it. If it cannot be used, ask for the next step.
  LEVERET_STEP_LOOK = 0,
  // Compute the value, store it, and end.
  LEVERET_STEP_COMPUTE,
  // Another process computes: ask for the next step, unless the host is to stop.
  LEVERET_STEP_AGAIN,
} leveret_step;

// How a call ended.
typedef enum leveret_redis_code {
  // Done.
  LEVERET_REDIS_OK = 0,
  // No server was named.
  LEVERET_REDIS_NO_SERVER,
  // The server cannot be reached.
  LEVERET_REDIS_CONNECT,
  // It refuses this user and password.
  LEVERET_REDIS_AUTH,
  // It has no such database.
  LEVERET_REDIS_SELECT,
  // The connection has ended.
  LEVERET_REDIS_LOST,
  // A reply did not come in time, or not whole.
  LEVERET_REDIS_READ,
  // What came is no reply.
  LEVERET_REDIS_PROTOCOL,
  // A request, or a name, is longer than may be sent.
  LEVERET_REDIS_TOO_LARGE,
  // These replies are over, or belong to another request by now.
  LEVERET_REDIS_TURN,
} leveret_redis_code;

// Format of an item's bytes.
typedef enum leveret_encoding {
  // A string, as it is.
  LEVERET_RAW = 0,
  // A signed 64-bit integer, kept as a number.
  LEVERET_INTEGER = 1,
  // The text of a float, in the shortest form that reads back equal.
  LEVERET_DOUBLE = 2,
  // "1" or nothing.
  LEVERET_BOOL = 3,
  // Nothing.
  LEVERET_NULL = 4,
  // PHP's serialize().
  LEVERET_PHP = 5,
  // igbinary.
  LEVERET_IGBINARY = 6,
  // msgpack.
  LEVERET_MSGPACK = 7,
  // JSON.
  LEVERET_JSON = 8,
  // Ruby's Marshal.
  LEVERET_MARSHAL = 9,
} leveret_encoding;

// Which family of entrances wrote an item.
typedef enum leveret_origin {
  // It came over a socket.
  LEVERET_WIRE = 0,
  // The classes of pecl/memcached.
  LEVERET_PECL_MEMCACHED = 1,
  // The classes of pecl/memcache.
  LEVERET_PECL_MEMCACHE = 2,
  // Leveret\Cache, apcu_*, the command. They compress nothing, and rely on it when they read.
  LEVERET_NATIVE = 3,
  // The Ruby gems.
  LEVERET_RUBY = 4,
  // Unknown: it is a server's answer. No item of an arena has it.
  LEVERET_REMOTE = 15,
} leveret_origin;

// When a value is stored.
typedef enum leveret_mode {
  // Always.
  LEVERET_SET = 0,
  // When there is no item.
  LEVERET_ADD,
  // When there is one.
  LEVERET_REPLACE,
  // Behind the value that is there.
  LEVERET_APPEND,
  // Before it.
  LEVERET_PREPEND,
  // When the item has the token given.
  LEVERET_CAS,
} leveret_mode;

// How a value is compressed; the number is also a meta's codec.
typedef enum leveret_codec {
  // Not at all.
  LEVERET_CODEC_NONE = 0,
  // FastLZ behind the original's length, as pecl/memcached writes it.
  LEVERET_CODEC_FASTLZ = 1,
  // zlib behind the original's length, as pecl/memcached writes it.
  LEVERET_CODEC_ZLIB = 2,
  // zlib alone, as pecl/memcache writes it.
  LEVERET_CODEC_PLAIN_ZLIB = 3,
  // zstd behind the original's length. Only where leveret_has_codec says so.
  LEVERET_CODEC_ZSTD = 4,
} leveret_codec;

// Codes are libmemcached's numbers, which PHP shows as Memcached::RES_*.
typedef enum leveret_code {
  // Done, or found.
  LEVERET_CODE_SUCCESS = 0,
  // It failed, and nothing says why.
  LEVERET_CODE_FAILURE = 1,
  // The host's name has no address.
  LEVERET_CODE_HOST_LOOKUP_FAILURE = 2,
  // The server cannot be reached.
  LEVERET_CODE_CONNECTION_FAILURE = 3,
  // Sending failed.
  LEVERET_CODE_WRITE_FAILURE = 5,
  // The connection ended before the answer.
  LEVERET_CODE_UNKNOWN_READ_FAILURE = 7,
  // The server does not know the command, or cannot be understood.
  LEVERET_CODE_PROTOCOL_ERROR = 8,
  // The server refused the request.
  LEVERET_CODE_CLIENT_ERROR = 9,
  // The server could not do it.
  LEVERET_CODE_SERVER_ERROR = 10,
  // Another version is there.
  LEVERET_CODE_DATA_EXISTS = 12,
  // Add found something; replace, append and prepend found nothing.
  LEVERET_CODE_NOTSTORED = 14,
  // There is no such item.
  LEVERET_CODE_NOTFOUND = 16,
  // Some requests of the batch failed.
  LEVERET_CODE_SOME_ERRORS = 19,
  // The pool has no server.
  LEVERET_CODE_NO_SERVERS = 20,
  // The end of a server's statistics or keys.
  LEVERET_CODE_END = 21,
  // One line of a server's statistics, or one of its keys.
  LEVERET_CODE_STAT = 24,
  // A system call failed; `number` is the errno.
  LEVERET_CODE_ERRNO = 26,
  // The protocol cannot do that.
  LEVERET_CODE_NOT_SUPPORTED = 28,
  // The server did not answer in time.
  LEVERET_CODE_TIMEOUT = 31,
  // The write waits in a buffer.
  LEVERET_CODE_BUFFERED = 32,
  // The key cannot be sent.
  LEVERET_CODE_BAD_KEY_PROVIDED = 33,
  // The server failed too often and is out of the ring.
  LEVERET_CODE_SERVER_MARKED_DEAD = 35,
  // The item is too large for the server.
  LEVERET_CODE_E2BIG = 37,
  // A setting has a value that it cannot have.
  LEVERET_CODE_INVALID_ARGUMENTS = 38,
  // The server takes no user names and passwords.
  LEVERET_CODE_AUTH_PROBLEM = 40,
  // The server refuses this name and password, or requires a sign-in.
  LEVERET_CODE_AUTH_FAILURE = 41,
  // The server failed a moment ago and rests.
  LEVERET_CODE_SERVER_TEMPORARILY_DISABLED = 47,
  // The server has no memory left for the item.
  LEVERET_CODE_SERVER_MEMORY_ALLOCATION_FAILURE = 48,
} leveret_code;

// Protocol.
typedef enum leveret_protocol {
  // Classic commands.
  LEVERET_PROTOCOL_TEXT = 0,
  // The binary protocol.
  LEVERET_PROTOCOL_BINARY = 1,
  // Meta commands.
  LEVERET_PROTOCOL_META = 2,
  // Text, but binary with servers that speak nothing else: the default.
  LEVERET_PROTOCOL_ANY = 3,
} leveret_protocol;

// Whose rule says which server a key lives on.
typedef enum leveret_ring {
  // libmemcached's default.
  LEVERET_RING_MODULA = 0,
  // OPT_DISTRIBUTION = DISTRIBUTION_CONSISTENT.
  LEVERET_RING_CONSISTENT = 1,
  // OPT_LIBKETAMA_COMPATIBLE.
  LEVERET_RING_KETAMA = 2,
  // pecl/memcache's memcache.hash_strategy=consistent.
  LEVERET_RING_PECL_CONSISTENT = 3,
  // pecl/memcache's memcache.hash_strategy=standard.
  LEVERET_RING_PECL_STANDARD = 4,
  // Dalli's.
  LEVERET_RING_DALLI = 5,
  // OPT_DISTRIBUTION = DISTRIBUTION_VIRTUAL_BUCKET: see leveret_pool_set_buckets, without which each server is a
  // bucket.
  LEVERET_RING_VIRTUAL_BUCKET = 6,
} leveret_ring;

// How a server is reached.
typedef enum leveret_server_kind {
  // TCP.
  LEVERET_SERVER_TCP = 0,
  // A socket in the file system.
  LEVERET_SERVER_UNIX = 1,
  // Shared memory of this host.
  LEVERET_SERVER_ARENA = 2,
} leveret_server_kind;

// A kind of program, for statistics.
typedef enum leveret_program {
  // Not declared.
  LEVERET_PROGRAM_OTHER = 0,
  // PHP.
  LEVERET_PROGRAM_PHP = 1,
  // Ruby.
  LEVERET_PROGRAM_RUBY = 2,
  // A server of other protocols.
  LEVERET_PROGRAM_SERVER = 3,
  // An inspection or repair tool.
  LEVERET_PROGRAM_TOOL = 4,
} leveret_program;

// What to do.
typedef enum leveret_operation {
  // Read.
  LEVERET_OP_GET,
  // Store.
  LEVERET_OP_SET,
  // Store if there is nothing.
  LEVERET_OP_ADD,
  // Store if there is something.
  LEVERET_OP_REPLACE,
  // Append to the existing value.
  LEVERET_OP_APPEND,
  // Prepend to the existing value.
  LEVERET_OP_PREPEND,
  // Store if `number` is still the version.
  LEVERET_OP_CAS,
  // Delete.
  LEVERET_OP_DELETE,
  // Add `number`.
  LEVERET_OP_INCREMENT,
  // Take `number` away.
  LEVERET_OP_DECREMENT,
  // Give a new exptime.
  LEVERET_OP_TOUCH,
  // Read, and give a new exptime.
  LEVERET_OP_GET_AND_TOUCH,
  // Forget everything.
  LEVERET_OP_FLUSH,
  // The server's version.
  LEVERET_OP_VERSION,
  // The server's statistics; `key` is their subject. Code STAT for each line, END after the last.
  LEVERET_OP_STATS,
  // Every key: code STAT for each, END after the last.
  LEVERET_OP_KEYS,
} leveret_operation;

// Settings of a pool; values as libmemcached's behaviours take them.
typedef enum leveret_pool_option {
  // A leveret_protocol.
  LEVERET_POOL_PROTOCOL,
  // A leveret_ring.
  LEVERET_POOL_RING,
  // libmemcached's number of the hash; for pecl/memcache's rings 0 = crc32, 1 = fnv.
  LEVERET_POOL_HASH,
  // Milliseconds for a connection to be made.
  LEVERET_POOL_CONNECT_TIMEOUT_MS,
  // Milliseconds to wait for an answer; negative = no limit.
  LEVERET_POOL_POLL_TIMEOUT_MS,
  // Seconds for which a failed server is not tried.
  LEVERET_POOL_RETRY_TIMEOUT_S,
  // Seconds after which an ejected server is tried again; 0 = never.
  LEVERET_POOL_DEAD_TIMEOUT_S,
  // Failures that eject a server.
  LEVERET_POOL_FAILURE_LIMIT,
  // Time-outs in a row that count as a failure; 0 = never.
  LEVERET_POOL_TIMEOUT_LIMIT,
  // The ring closes over servers that failed too often.
  LEVERET_POOL_AUTO_EJECT,
  // As AUTO_EJECT, by its newer name.
  LEVERET_POOL_REMOVE_FAILED,
  // 1: the prefix of leveret_pool_set_prefix is hashed as well.
  LEVERET_POOL_HASH_WITH_PREFIX,
  // 1: gets go by UDP, to the servers' UDP ports (or the same number as TCP's). Writes never do.
  LEVERET_POOL_UDP,
  // libmemcached's further copies of each item, on the servers that follow; they are read when the first is dead.
  LEVERET_POOL_REPLICAS,
  // 1: a replica is as good to read from as the first.
  LEVERET_POOL_RANDOM_REPLICA,
  // pecl/memcache's copies of each item, the first one counted.
  LEVERET_POOL_REDUNDANCY,
  // 1: a server that is this host's `leveret serve` is used through its arena.
  LEVERET_POOL_SHORT_CUT,
  // SO_KEEPALIVE.
  LEVERET_POOL_KEEPALIVE,
  // SO_SNDBUF; 0 = the system's.
  LEVERET_POOL_SEND_SIZE,
  // SO_RCVBUF; 0 = the system's.
  LEVERET_POOL_RECV_SIZE,
  // No answer to any write is wanted, except to a touch.
  LEVERET_POOL_NOREPLY,
  // Sets and deletes wait until there are many, or until something else is asked.
  LEVERET_POOL_BUFFER_WRITES,
  // Bytes above 127 are refused in keys.
  LEVERET_POOL_VERIFY_KEY,
  // Servers are kept in the order of their names.
  LEVERET_POOL_SORT_HOSTS,
  // Other places that are tried for a key whose server does not answer (pecl/memcache, Dalli).
  LEVERET_POOL_FAILOVER_ATTEMPTS,
  // 1: a key lies at the first of its other places, where pecl/memcache's session handler looks for it.
  LEVERET_POOL_ELSEWHERE,
  // Bytes of an arena that is made because a server of this name is used; for servers that are added from now on.
  LEVERET_POOL_ARENA_MEMORY,
  // Milliseconds until a write to such an arena gives up a lock; for servers that are added from now on.
  LEVERET_POOL_ARENA_LOCK_TIMEOUT_MS,
} leveret_pool_option;

// Kind of a token.
typedef enum leveret_redis_kind {
  // A status: text.
  LEVERET_REDIS_STATUS = 0,
  // An error: text.
  LEVERET_REDIS_ERROR,
  // number.
  LEVERET_REDIS_INT,
  // A string of text.len bytes. text.data NULL: leveret_redis_copy hands it out.
  LEVERET_REDIS_BULK,
  // Nothing.
  LEVERET_REDIS_NIL,
  // No array.
  LEVERET_REDIS_NIL_ARRAY,
  // number replies follow. It comes from the server: make room as they come.
  LEVERET_REDIS_ARRAY,
  // The same, keys and values.
  LEVERET_REDIS_MAP,
  // The same, of a set.
  LEVERET_REDIS_SET,
  // The same, of a message; only where leveret_redis_expect was called.
  LEVERET_REDIS_PUSH,
  // A float: text.
  LEVERET_REDIS_DOUBLE,
  // number is 0 or 1.
  LEVERET_REDIS_BOOL,
  // Digits: text.
  LEVERET_REDIS_BIG_NUMBER,
  // As LEVERET_REDIS_BULK, without its format.
  LEVERET_REDIS_VERBATIM,
} leveret_redis_kind;

// How long is waited before a lost connection is made again; the numbers of phpredis' constants.
typedef enum leveret_redis_backoff {
  // A random part of the base at first, then the base.
  LEVERET_REDIS_BACKOFF_DEFAULT = 0,
  // A random time between the base and three times the last wait.
  LEVERET_REDIS_BACKOFF_DECORRELATED_JITTER,
  // A random part of what doubles each time.
  LEVERET_REDIS_BACKOFF_FULL_JITTER,
  // Half of what doubles each time, and a random part of the other half.
  LEVERET_REDIS_BACKOFF_EQUAL_JITTER,
  // What doubles each time.
  LEVERET_REDIS_BACKOFF_EXPONENTIAL,
  // A random part of the base.
  LEVERET_REDIS_BACKOFF_UNIFORM,
  // The base.
  LEVERET_REDIS_BACKOFF_CONSTANT,
} leveret_redis_backoff;

// What a value begins with.
typedef enum leveret_compact_tag {
  // null
  LEVERET_COMPACT_NULL = 0,
  // false
  LEVERET_COMPACT_FALSE = 1,
  // true
  LEVERET_COMPACT_TRUE = 2,
  // An integer: 1 byte, signed and in native byte order, as the wider ones.
  LEVERET_COMPACT_INT8 = 3,
  // 2 bytes.
  LEVERET_COMPACT_INT16 = 4,
  // 4 bytes.
  LEVERET_COMPACT_INT32 = 5,
  // 8 bytes.
  LEVERET_COMPACT_INT64 = 6,
  // 8 bytes.
  LEVERET_COMPACT_FLOAT = 7,
  // A string of no bytes.
  LEVERET_COMPACT_EMPTY_STRING = 8,
  // Length, bytes.
  LEVERET_COMPACT_LONG_STRING = 9,
  // Number of a string that came before.
  LEVERET_COMPACT_STRING_ID = 10,
  // A list without values.
  LEVERET_COMPACT_EMPTY_LIST = 11,
  // Count, values.
  LEVERET_COMPACT_LIST = 12,
  // The gem's: to PHP the same as an empty list.
  LEVERET_COMPACT_EMPTY_MAP = 13,
  // Count, keys, values.
  LEVERET_COMPACT_NEW_SHAPE = 14,
  // Number of keys that came before; values.
  LEVERET_COMPACT_SHAPE_ID = 15,
  // Class, count, names of properties, values.
  LEVERET_COMPACT_NEW_OBJECT = 16,
  // Number of a class and its properties; values.
  LEVERET_COMPACT_OBJECT_ID = 17,
  // Class, name.
  LEVERET_COMPACT_ENUM_CASE = 18,
  // From here on the operand is in the tag: 0 to 63.
  LEVERET_COMPACT_INT = 64,
  // A string of one byte, which has no number.
  LEVERET_COMPACT_BYTE = 128,
  // A string of 2 to 64 bytes, which gets the next number.
  LEVERET_COMPACT_STRING = 129,
  // The high five bits of the number of a string; a byte.
  LEVERET_COMPACT_STRING_AT = 192,
  // Number of keys, 0 to 31; values.
  LEVERET_COMPACT_SHAPE_AT = 224,
} leveret_compact_tag;

// One arena; opaque.
typedef struct leveret_arena leveret_arena;

// An application's key for its values. Any thread may use it.
typedef struct leveret_cipher leveret_cipher;

// Servers behind a ring, and one batch of requests; opaque.
typedef struct leveret_pool leveret_pool;

// A link to one Redis server; opaque.
typedef struct leveret_redis leveret_redis;

// Bytes of the caller. `data` may be NULL when `len` is 0.
typedef struct leveret_bytes {
  // First byte.
  const uint8_t *data;
  // How many.
  size_t len;
} leveret_bytes;

// Which arena to open, and how.
typedef struct leveret_open_options {
  // "default", "arena:NAME", or an absolute path that ends in .arena.
  struct leveret_bytes arena;
  // The folder of named arenas; empty: $LEVERET_DIR, /dev/shm/leveret, /dev/shm/leveret-<uid>.
  struct leveret_bytes dir;
  // Size of a new arena, bytes; an existing one keeps its own.
  uint64_t memory;
  // How long a writer waits for a living lock owner; 0 = 1000.
  uint32_t lock_timeout_ms;
  // 0: attach only.
  uint32_t create;
  // 1: the one private arena of this process and its forks, independent of `arena`, `dir` and `create`. Open it
  // before the fork to share it with the child.
  uint32_t nameless;
} leveret_open_options;

// An arena's state in numbers. Counts may be off by what killed processes had not published: up to 63 reads each.
typedef struct leveret_stats {
  // Live items, including expired ones that were not met yet.
  uint64_t items;
  // Bytes of these items: header, key, value, padding.
  uint64_t item_bytes;
  // The arena's limit, bytes.
  uint64_t memory_limit;
  // Allocated bytes: metadata, index and data.
  uint64_t memory_allocated;
  // Bytes that can be stored before eviction begins, an estimate: of what the arena may still grow by, as much as its
  // file system has.
  uint64_t memory_free;
  // Reads that found a live item.
  uint64_t hits;
  // Reads that found none.
  uint64_t misses;
  // Stores that succeeded, each way of storing, counts that created an integer included.
  uint64_t sets;
  // Deletes that found an item.
  uint64_t deletes;
  // Increments and decrements that succeeded.
  uint64_t increments;
  // Of these, decrements.
  uint64_t decrements;
  // Touches that found an item.
  uint64_t touches;
  // Live items dropped to make room.
  uint64_t evicted;
  // Dead items whose memory was reclaimed.
  uint64_t expired;
  // Times a lock was taken from a dead process.
  uint64_t recoveries;
  // Reads given up after 64 tries because the index changed each time.
  uint64_t retries;
  // Times a writer had to sleep for a lock.
  uint64_t lock_waits;
  // Flushes of the whole arena, those that are still to come included.
  uint64_t flushes;
  // Bytes of items written for callers.
  uint64_t written_bytes;
  // Bytes of items copied again when segments were drained.
  uint64_t moved_bytes;
  // Bytes of segments that are past their deadline as a whole but not reclaimed yet.
  uint64_t expired_bytes;
  // Index slots that pointed at nothing sensible and were cleared: 0 unless the file was damaged.
  uint64_t mended;
  // Segments allocated.
  uint64_t segments;
  // Of these, free.
  uint64_t segments_free;
  // Bytes of a segment.
  uint64_t segment_bytes;
  // Shards, each with its own lock.
  uint64_t shards;
  // Main buckets of the index.
  uint64_t buckets;
  // Unix time since which hits, misses and sets are counted: of the arena's creation, or of the last `Arena::clear`.
  int64_t created_unix;
  // Living processes that have written to the arena.
  uint32_t attached;
  // Version of the file's layout.
  uint32_t layout;
  // Of `attached`, by the numbers of `Program`.
  uint32_t attached_by_program[5];
  // Reads that found a live item, by the numbers of `Program`. Processes of builds that did not count so are missing.
  uint64_t hits_by_program[5];
  // Reads that found none, likewise.
  uint64_t misses_by_program[5];
  // Of `hits_by_program`, those of values that the process had decoded before and found unchanged.
  uint64_t decoded_by_program[5];
  // Of `evicted`, those that were stored less than a minute before.
  uint64_t evicted_in_minute;
  // Of `evicted`, those that were stored a minute or more before, and less than an hour.
  uint64_t evicted_in_hour;
  // Of `evicted`, those that were stored an hour or more before, and less than a day.
  uint64_t evicted_in_day;
  // Stores of keys that were evicted not long before, as far as the arena remembers: reads before them would have been hits with
  // more memory.
  uint64_t returned;
  // How long writers have slept for locks, in microseconds.
  uint64_t lock_wait_us;
  // Of `lock_waits`, those that took a millisecond or more, and less than ten.
  uint64_t lock_waits_of_ms;
  // Of `lock_waits`, those that took 10 milliseconds or more, and less than 100.
  uint64_t lock_waits_of_10ms;
  // Of `lock_waits`, those that took 100 milliseconds or more.
  uint64_t lock_waits_of_100ms;
  // How long writers have held locks, of one section in 64: up to 1, 10, 50, 100 microseconds, 1, 10, 100 milliseconds, longer.
  uint64_t lock_holds[8];
  // The sum of those times, in nanoseconds.
  uint64_t lock_hold_ns;
  // Writes that were refused because nothing could be evicted for them.
  uint64_t refused_no_memory;
  // Writes that were refused because other processes held, for the whole lock timeout, what could have been evicted.
  uint64_t refused_busy;
  // Unix time of the last write that was refused; 0: there was none.
  int64_t refused_unix;
} leveret_stats;

// How readers interpret an item's bytes.
typedef struct leveret_meta {
  // The client's own opaque 32 bits.
  uint32_t flags;
  // Which family of entrances wrote it.
  uint8_t origin;
  // What the bytes are, an `Encoding`.
  uint8_t encoding;
  // Compression of the bytes: 0 = none.
  uint8_t codec;
  // Marks handed out with the item: `STALE`, `WON`.
  uint8_t marks;
} leveret_meta;

// How the bytes of a value are to be read: a leveret_encoding and a leveret_codec.
typedef struct leveret_form {
  // Their type after decompression. Numbers are decimal text.
  uint8_t encoding;
  // How they are compressed.
  uint8_t codec;
} leveret_form;

// The right to compute the value of one key.
typedef struct leveret_ticket {
  // Hash of the key.
  uint64_t hash;
  // Number of the lease.
  uint32_t slot;
  // Which use of it.
  uint32_t serial;
} leveret_ticket;

// Where a process stands: all zero begins. It belongs to one thread of one process, and to the arena that it began with.
typedef struct leveret_compute {
  // The lease, while it is held.
  struct leveret_ticket ticket;
  // When the wait began, in microseconds of a clock of this process; 0: there was none.
  uint64_t began_us;
  // Private.
  uint32_t state;
  // 0.
  uint32_t unused;
} leveret_compute;

// The moment from which an item is dead. An arena of layout 1 rounds it up to the second.
typedef struct leveret_deadline {
  // In seconds since boot, rounded up; `u32::MAX` = never.
  uint32_t second;
  // How many milliseconds it comes before that, below 1,000.
  uint32_t fraction;
} leveret_deadline;

// Proof of one version of one item.
typedef struct leveret_version {
  // Hash of the key.
  uint64_t hash;
  // The slot word.
  uint64_t slot;
  // State word of the segment.
  uint64_t segment;
  // Its deadline when it was found.
  struct leveret_deadline deadline;
  // Flush epoch.
  uint32_t epoch;
} leveret_version;

// Attributes known before an item's bytes are copied.
typedef struct leveret_found {
  // Which version this is.
  struct leveret_version version;
  // Bytes that `copy` writes; for a number the length of its decimal text.
  uint64_t value_len;
  // The value, when `is_number`.
  int64_t number;
  // The cas token; 0 unless asked for.
  uint64_t cas;
  // Flags, origin, encoding, codec.
  struct leveret_meta meta;
  // When it was stored, on the arena's clock.
  uint32_t mtime;
  // From when on it is dead, on the arena's clock.
  struct leveret_deadline deadline;
  // Where the value begins in the item. Private.
  uint32_t value_off;
  // 1 when the value is `number`.
  uint8_t is_number;
  // Reads since it was stored: exact up to 15, an estimate above.
  uint8_t hits;
  // 1 when it was read since it was stored; after a miss a `Missed`.
  uint8_t fetched;
  // How the value lies in the item. Private.
  uint8_t kind;
} leveret_found;

// One request of a batch.
typedef struct leveret_request {
  // What to do: a leveret_operation.
  uint32_t operation;
  // As it is sent.
  struct leveret_bytes key;
  // Hashed instead of the key to find the server; data NULL = the key.
  struct leveret_bytes group;
  // For stores.
  struct leveret_bytes value;
  // For stores: flags on the wire.
  struct leveret_meta meta;
  // As on the wire.
  int64_t exptime;
  // The version for cas, and for a delete that is to have one (not in the text protocol, which does not look at it);
  // the difference for counters.
  uint64_t number;
  // Initial value of a missing counter.
  uint64_t initial;
  // 1: a missing counter is created. Not in the text protocol: 28.
  uint32_t create;
  // 1: a get tells the version.
  uint32_t with_cas;
  // 1: no answer is wanted.
  uint32_t quiet;
  // Flush, version, stats, keys: index of the server; -1 = every one.
  int32_t server;
} leveret_request;

// One answer of a batch.
typedef struct leveret_answer {
  // Number of the request since leveret_pool_begin, counted from 0.
  uint32_t request;
  // A leveret_code.
  int32_t code;
  // Index of the server that answered or failed.
  uint32_t server;
  // Of the request; for statistics their name.
  struct leveret_bytes key;
  // The value; for errors what the server said.
  struct leveret_bytes value;
  // Flags.
  struct leveret_meta meta;
  // The version, if it was asked for.
  uint64_t cas;
  // Counters: the new value. Code ERRNO: the errno.
  uint64_t number;
} leveret_answer;

// A server of a pool.
typedef struct leveret_server {
  // As it was added; lives as long as the server list is not changed.
  struct leveret_bytes host;
  // As it was added, also of a Unix socket, which has none.
  uint16_t port;
  // 0 = none.
  uint16_t udp_port;
  // Its share of the keys.
  uint32_t weight;
  // A leveret_server_kind.
  uint32_t kind;
  // It failed, and is not asked for now.
  uint32_t is_down;
} leveret_server;

// A server that failed.
typedef struct leveret_failure {
  // Its index.
  uint32_t server;
  // A leveret_code.
  int32_t code;
  // The system's own word for it; 0 = none.
  int32_t system_error;
} leveret_failure;

// A read under way. leveret_read_begin fills it; or the caller does, with `found` from a walk: then the rest is 0 or
// as for leveret_read_begin.
typedef struct leveret_reading {
  // The item.
  struct leveret_found found;
  // LEVERET_READ_HASHED and its kin, or'd.
  uint32_t how;
  // The moment of the caller; 0 = the present.
  uint32_t now;
  // How often the item was recycled so far.
  uint32_t tries;
  // 0.
  uint32_t unused;
} leveret_reading;

// Where a server is. All bytes are copied.
typedef struct leveret_redis_server {
  // A name, an address or a path, with tcp://, tls://, ssl:// or unix:// before it or without; empty = none yet.
  struct leveret_bytes host;
  // Of TCP.
  uint32_t port;
  // 1: the connection is kept for the next links of this process.
  uint32_t is_persistent;
  // Keeps connections of one purpose from others.
  struct leveret_bytes persistent_id;
  // For AUTH. data NULL = the default user.
  struct leveret_bytes user;
  // For AUTH. data NULL = there is no AUTH.
  struct leveret_bytes password;
  // Selected before the first request.
  uint32_t database;
  // 1: if it is this host's `leveret serve --redis`, its arenas are used in its place.
  uint32_t short_cut;
  // Connections that are kept for one place; 0 = any number.
  uint32_t pool_limit;
  // Folder of named arenas, as in leveret_open_options.
  struct leveret_bytes dir;
  // tls://: the server must prove that it is the one named.
  uint32_t tls_verify;
  // tls://: the name in the certificate, where it is another; data NULL = not said, as in all that follow.
  struct leveret_bytes tls_peer_name;
  // File of authorities.
  struct leveret_bytes tls_ca_file;
  // File of our own certificate.
  struct leveret_bytes tls_certificate;
  // File of its key.
  struct leveret_bytes tls_key;
} leveret_redis_server;

// How patient a link is.
typedef struct leveret_redis_tuning {
  // Microseconds to connect; 0 or less = for ever.
  int64_t connect_timeout_us;
  // Microseconds for each piece of a reply; 0 or less = for ever.
  int64_t read_timeout_us;
  // The base of LEVERET_REDIS_BACKOFF_DEFAULT where backoff_base_ms is 0.
  uint32_t retry_interval_ms;
  // Most reconnects after a lost connection.
  uint32_t max_retries;
  // A leveret_redis_backoff; any other number counts as the default.
  uint32_t backoff;
  // What waits are made of.
  uint32_t backoff_base_ms;
  // No wait is longer; 0 = the base.
  uint32_t backoff_cap_ms;
  // 1: the kernel looks whether an idle server still lives.
  uint32_t keepalive;
} leveret_redis_tuning;

// A token of a reply.
typedef struct leveret_redis_token {
  // A leveret_redis_kind.
  uint32_t kind;
  // Collections in which it is; 0: it begins a reply. At most 32.
  uint32_t depth;
  // As the kind says.
  int64_t number;
  // As the kind says.
  struct leveret_bytes text;
} leveret_redis_token;

// State of a link.
typedef struct leveret_redis_state {
  // There is a socket, or the server's arena is used without one.
  uint32_t is_connected;
  // The database that is selected, or will be once there is a connection.
  uint32_t database;
  // The server has agreed to MULTI.
  uint32_t in_multi;
  // Keys are watched.
  uint32_t is_watching;
  // What the connection is, is not known.
  uint32_t is_opaque;
  // 0.
  uint32_t unused;
  // Requests that were not flushed.
  uint64_t queued;
  // Replies that were not read to their end.
  uint64_t owed;
  // Bytes sent over sockets.
  uint64_t sent;
  // Bytes received over sockets.
  uint64_t received;
} leveret_redis_state;

// Where a walk stands. All zero is its start.
typedef struct leveret_cursor {
  // Shard under way.
  uint32_t shard;
  // Buckets of that shard's level when the walk reached it; 0 = not reached yet.
  uint32_t level;
  // Next bucket of that level.
  uint64_t bucket;
} leveret_cursor;

// A walk: all zero begins one, with `now` unless the clock's is meant. The caller owns the memory and frees `buffer`.
typedef struct leveret_walk {
  // Where it stands.
  struct leveret_cursor cursor;
  // The records of the last step, aligned to 8; NULL before the first call.
  uint8_t *buffer;
  // Bytes that `buffer` has room for.
  size_t len;
  // After NO_MEMORY: bytes that `buffer` must have room for.
  size_t needed;
  // Bytes of records in `buffer`.
  size_t used;
  // Where the next record begins.
  size_t at;
  // The moment at which items must be alive; 0 = that of each step.
  uint32_t now;
  // 1: there is nothing left in the arena. The caller may set it, too.
  uint32_t is_over;
  // Not 0: only keys are told, in less time; a record's `found` is zero.
  uint32_t keys_only;
  // 0.
  uint32_t unused;
} leveret_walk;

// One item in a walk's buffer. The key's bytes follow, then padding; the next record is `record_len` bytes on.
typedef struct leveret_record {
  // The item, for `Arena::copy`. The hash in its version is 0 where the walk had no use of it, so that
  // `Arena::is_current` says no.
  struct leveret_found found;
  // The bucket of the index where the item's chain begins, counted through all shards.
  uint64_t bucket;
  // Bytes of the key.
  uint32_t key_len;
  // Bytes up to the next record, a multiple of 8.
  uint32_t record_len;
} leveret_record;









#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Says what kind of program this process is, a leveret_program, for the statistics of arenas that it opens from now on.
// Once, at its start: what its forks would have to find out is found out now. Any other number counts as
// LEVERET_PROGRAM_OTHER.
void leveret_declare(uint32_t program);

// Opens an arena. OK: *arena is usable, *created says whether this call made it. FAILED: `message`, NUL-terminated and
// cut to `message_len`, says why and how to fix it.
//
// # Safety
// Pointers are live; `message` has room for `message_len` bytes.
enum leveret_status leveret_open(const struct leveret_open_options *options,
                                 struct leveret_arena **arena,
                                 uint32_t *created,
                                 char *message,
                                 size_t message_len);

// Ends the use of an arena by this handle. The arena itself lives on. NULL is allowed.
//
// # Safety
// `arena` came from leveret_open and is not used afterwards.
void leveret_close(struct leveret_arena *arena);

// OK, or LOST when the file was unlinked, replaced or truncated. One stat(2): call it once per request. Also measures
// the time spent in suspend and publishes this process's read counts.
//
// # Safety
// `arena` is live.
enum leveret_status leveret_check(const struct leveret_arena *arena);

// Which of all the arenas that this process has opened: the same for all handles of one mapping. An address may come
// back as another arena's, a number does not.
//
// # Safety
// `arena` is live.
uint64_t leveret_arena_number(const struct leveret_arena *arena);

// The largest value, bytes: an eighth of the arena.
//
// # Safety
// `arena` is live.
uint64_t leveret_value_max(const struct leveret_arena *arena);

// The longest key, bytes: a quarter of a segment, at most 65,535.
//
// # Safety
// `arena` is live.
uint64_t leveret_key_max(const struct leveret_arena *arena);

// The arena's limit, bytes.
//
// # Safety
// `arena` is live.
uint64_t leveret_memory(const struct leveret_arena *arena);

// The arena's file, NUL-terminated and cut to `len`. Returns its full length.
//
// # Safety
// `buffer` has room for `len` bytes.
size_t leveret_path(const struct leveret_arena *arena, char *buffer, size_t len);

// Forgets every item at once, in constant time: OK or LOST.
//
// # Safety
// `arena` is live.
enum leveret_status leveret_flush(const struct leveret_arena *arena);

// As leveret_flush, and counts hits, misses and stores from 0 again, as a new arena: OK or LOST.
//
// # Safety
// `arena` is live.
enum leveret_status leveret_clear(const struct leveret_arena *arena);

// Counts and sizes: OK or LOST. Takes no lock.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_get_stats(const struct leveret_arena *arena,
                                      struct leveret_stats *stats);

// As leveret_get_stats, without the living processes: `attached` and its kin are 0. With `room` 0 `memory_free`
// assumes an unlimited file system. That saves several system calls.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_get_counts(const struct leveret_arena *arena,
                                       uint32_t room,
                                       struct leveret_stats *stats);

// Number of live items, and their bytes as leveret_item_size counts them, from existing counters. MISS: the counters
// do not suffice, since some items may be past their deadline, or large. LOST.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_totals(const struct leveret_arena *arena,
                                   uint32_t now,
                                   uint64_t *items,
                                   uint64_t *bytes);

// Names the calling process as a web-server master: call it before it forks.
uint64_t leveret_master_token(void);

// A worker of that master comes. OK: the arena was emptied, since this is the first worker of a new master and no
// other listed master lives. MISS: nothing was to be done. BUSY. LOST: open it again; its file may have been replaced by
// this call, since its layout was older and no other process used it.
//
// # Safety
// `arena` is live.
enum leveret_status leveret_master_enter(const struct leveret_arena *arena,
                                         uint64_t token);

// What the log of this process should say of an arena that it has opened, leveret_open's or a pool's: that its layout is
// older, what it lacks, and the command that replaces it. One arena for each call. Returns the length of the text, which
// is cut to `message_len`; 0: nothing, or all was told before.
//
// # Safety
// `message` has room for `message_len` bytes.
size_t leveret_older_arena(char *message,
                           size_t message_len);

// Version of the layout of arenas that this library reads and writes.
uint32_t leveret_layout_version(void);

// Makes one of any bytes. leveret_cipher_free frees it.
//
// # Safety
// `key` can be read.
struct leveret_cipher *leveret_cipher_new(struct leveret_bytes key);

// NULL is allowed.
//
// # Safety
// It came from leveret_cipher_new, and is not used any more.
void leveret_cipher_free(struct leveret_cipher *cipher);

// Encrypted length of a value of `len` bytes: up to 16 bytes longer.
size_t leveret_encrypted_len(size_t len);

// Encrypts a value into as many bytes as leveret_encrypted_len says.
//
// # Safety
// `cipher` is live, `value` can be read; `dst` has room for that many bytes, and they are the caller's own.
void leveret_encrypt(const struct leveret_cipher *cipher,
                     struct leveret_bytes value,
                     void *dst);

// Decrypts a value. 0: dst[0..*len] is it. 1: another key has encrypted it, or none.
//
// # Safety
// `cipher` is live, `stored` can be read; `dst` has room for as many bytes, and they are the caller's own; `len` is
// live.
int32_t leveret_decrypt(const struct leveret_cipher *cipher,
                        struct leveret_bytes stored,
                        void *dst,
                        size_t *len);

// 1: values so compressed can be read and written.
int32_t leveret_has_codec(uint32_t codec);

// Compresses a value. 0: dst[0..*dst_len] is it. 1: it does not fit into the *dst_len bytes that were there, or the
// codec is not known: send the value as it is. `level` is that of zlib, 1 to 9, or of zstd.
//
// # Safety
// `value` can be read; `dst` has room for *dst_len bytes.
int32_t leveret_compress(uint32_t codec,
                         struct leveret_bytes value,
                         int32_t level,
                         void *dst,
                         size_t *dst_len);

// How long a stored value becomes. 0: *len. -1001: damaged, above `len_max`, or the codec is not known.
//
// # Safety
// `stored` can be read; `len` is live.
int32_t leveret_decompressed_len(uint32_t codec,
                                 struct leveret_bytes stored,
                                 size_t len_max,
                                 size_t *len);

// Decompresses a value into the bytes that leveret_decompressed_len told. 0, or -1001: damaged.
//
// # Safety
// `stored` can be read; `dst` has room for `dst_len` bytes, and they are the caller's own.
int32_t leveret_decompress(uint32_t codec, struct leveret_bytes stored, void *dst, size_t dst_len);

// How to read an item. A native item says it itself, an item of the classes by the flags of its family, a server's
// answer by those of `reader`. An item that came over a socket into an arena is read by the family that its flags and
// bytes match, otherwise by the flags of `reader`, a leveret_origin; with any other number by those of all. 0: *form.
// 1: flags that no PHP client writes.
//
// # Safety
// `value` can be read; the other pointers are live.
int32_t leveret_translate(const struct leveret_meta *meta,
                          uint32_t reader,
                          struct leveret_bytes value,
                          struct leveret_form *form);

// The next step of a thread that has looked for the value of a key and found none. Takes up to 20 ms. While this thread
// has the lease the others wait, for ten seconds in all; that of a process that has died goes to one of them. A step that
// looks for the item counts nothing.
//
// # Safety
// Pointers are live.
enum leveret_step leveret_compute_next(const struct leveret_arena *arena,
                                       struct leveret_bytes key,
                                       uint32_t now,
                                       struct leveret_compute *compute);

// Ends the computation after any step: releases the lease and wakes its waiters. May be called more than once. A host
// that jumps over it calls leveret_lease_release_all.
//
// # Safety
// Pointers are live.
void leveret_compute_end(const struct leveret_arena *arena,
                         struct leveret_compute *compute);

// Adds to an integer; wraps. What counts is what `reader`, a leveret_origin, reads as one: also text (see
// leveret_translate), with white space around it as PHP allows. A missing item is created with the value `step` and this
// deadline if `create` is not 0. OK: *result is the new value; MISS; NOT_NUMBER; BUSY, NO_MEMORY, KEY_TOO_LONG, LOST,
// FAILED.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_count(const struct leveret_arena *arena,
                                  struct leveret_bytes key,
                                  int64_t step,
                                  uint32_t reader,
                                  uint32_t create,
                                  uint32_t deadline,
                                  uint32_t now,
                                  int64_t *result);

// As leveret_count, for items stored as integers; text does not count.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_add_integer(const struct leveret_arena *arena,
                                        struct leveret_bytes key,
                                        int64_t step,
                                        uint32_t create,
                                        uint32_t deadline,
                                        uint32_t now,
                                        int64_t *result);

// Replaces an integer whose value is `old_value`. Integers are those of leveret_count. OK; EXISTS: another value, or
// no integer; MISS; KEY_TOO_LONG, NO_MEMORY, BUSY, LOST, FAILED.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_swap_integer(const struct leveret_arena *arena,
                                         struct leveret_bytes key,
                                         int64_t old_value,
                                         int64_t new_value,
                                         uint32_t reader,
                                         uint32_t now);

// As leveret_swap_integer, but text is no integer.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_cas_integer(const struct leveret_arena *arena,
                                        struct leveret_bytes key,
                                        int64_t old_value,
                                        int64_t new_value,
                                        uint32_t now);

// Looks an item up. OK, MISS or LOST; counts a hit or a miss. After a miss *found means nothing.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_find(const struct leveret_arena *arena,
                                 struct leveret_bytes key,
                                 uint32_t now,
                                 struct leveret_found *found);

// Asks for the memory that finding these keys will read, so that the processor waits for all of it at once, and writes
// their hashes for leveret_find_hashed. A hint: it answers nothing.
//
// # Safety
// `arena` is live; `keys` are `count` live keys, at most LEVERET_AHEAD, and `hashes` has room for as many.
void leveret_ask_for(const struct leveret_arena *arena,
                     const struct leveret_bytes *keys,
                     size_t count,
                     uint64_t *hashes);

// As leveret_find, for a key whose hash leveret_ask_for of this arena has told.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_find_hashed(const struct leveret_arena *arena,
                                        struct leveret_bytes key,
                                        uint64_t hash,
                                        uint32_t now,
                                        struct leveret_found *found);

// As leveret_find, with found->cas. The first time it may take the shard's lock: BUSY, FAILED.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_find_cas(const struct leveret_arena *arena,
                                     struct leveret_bytes key,
                                     uint32_t now,
                                     struct leveret_found *found);

// As leveret_find_cas, but counts nothing, and the item does not look read.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_peek_cas(const struct leveret_arena *arena,
                                     struct leveret_bytes key,
                                     uint32_t now,
                                     struct leveret_found *found);

// As leveret_find, but leaves no trace: counts nothing, and the item does not look read.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_peek(const struct leveret_arena *arena,
                                 struct leveret_bytes key,
                                 uint32_t now,
                                 struct leveret_found *found);

// Bytes that an item takes up in the arena, its key of `key_len` bytes and padding included; of a large value as if it
// lay in one piece.
//
// # Safety
// `found` was filled by an arena.
uint64_t leveret_item_size(const struct leveret_found *found,
                           size_t key_len);

// Copies the value of a found item: OK, and dst[0..value_len] is that very version, or RETRY: find again.
//
// # Safety
// `found` was filled by this arena; `dst` has room for `found->value_len` bytes.
enum leveret_status leveret_copy(const struct leveret_arena *arena,
                                 const struct leveret_found *found,
                                 void *dst);

// Whether the arena still holds this very version, alive: OK or MISS. One index look-up; the item is not touched.
// Counts a hit.
//
// # Safety
// Pointers are live; `version` was filled by this arena.
enum leveret_status leveret_is_current(const struct leveret_arena *arena,
                                       const struct leveret_version *version,
                                       uint32_t now);

// Stores a value; `mode` is a leveret_mode. With meta->encoding INTEGER, `value` is an int64_t of 8 bytes. `cas` is for mode CAS; `new_cas` may
// be NULL. OK; EXISTS (add, cas); MISS (replace, append, prepend, cas); TOO_LARGE, KEY_TOO_LONG, NO_MEMORY, BUSY,
// LOST, FAILED (also where `mode` is another number).
//
// # Safety
// Pointers are live.
enum leveret_status leveret_store(const struct leveret_arena *arena,
                                  struct leveret_bytes key,
                                  struct leveret_bytes value,
                                  const struct leveret_meta *meta,
                                  uint32_t deadline,
                                  uint32_t mode,
                                  uint64_t cas,
                                  uint32_t now,
                                  uint64_t *new_cas);

// Removes an item: OK, MISS, KEY_TOO_LONG, BUSY, LOST, FAILED.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_delete(const struct leveret_arena *arena,
                                   struct leveret_bytes key,
                                   uint32_t now);

// Gives an item another deadline: OK, MISS, KEY_TOO_LONG, NO_MEMORY, BUSY, LOST, FAILED.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_touch(const struct leveret_arena *arena,
                                  struct leveret_bytes key,
                                  uint32_t deadline,
                                  uint32_t now);

// Requests the right to compute a key's value. OK: compute, store, release. WAIT: look for the value, then ask again
// with the time waited so far. NO_LEASE: compute without one.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_lease_acquire(const struct leveret_arena *arena,
                                          struct leveret_bytes key,
                                          uint32_t waited_ms,
                                          struct leveret_ticket *ticket);

// Takes a key's lease as a lock. OK: it lasts until its release or the death of this process;
// leveret_lease_release_all does not release it. WAIT: another caller has it, up to 20 ms have passed; ask again.
// NO_LEASE: none is free.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_lease_hold(const struct leveret_arena *arena,
                                       struct leveret_bytes key,
                                       struct leveret_ticket *ticket);

// Releases a lease and wakes its waiters.
//
// # Safety
// Pointers are live.
void leveret_lease_release(const struct leveret_arena *arena, const struct leveret_ticket *ticket);

// Releases all leases of this thread: for the end of a request, since an exit or a fatal error skips the release.
//
// # Safety
// `arena` is live.
void leveret_lease_release_all(const struct leveret_arena *arena);

// A pool without servers, with php-memcached's defaults.
struct leveret_pool *leveret_pool_new(void);

// Closes all connections and frees the pool. NULL is allowed.
//
// # Safety
// `pool` came from leveret_pool_new and is not used afterwards.
void leveret_pool_free(struct leveret_pool *pool);

// Frees the pool as leveret_pool_free does, but sends nothing and waits for nothing: for a garbage collector. Writes
// that waited in buffers are lost. NULL: nothing happens.
//
// # Safety
// `pool` is NULL, or came from leveret_pool_new and is not used afterwards.
void leveret_pool_discard(struct leveret_pool *pool);

// Begins a batch. Memory of earlier answers is released, and unread answers are not waited for.
//
// # Safety
// `pool` is live.
void leveret_pool_begin(struct leveret_pool *pool);

// Adds a request; everything it points at is copied. SUCCESS, or why it is not in the batch: BAD_KEY_PROVIDED,
// NO_SERVERS, NOT_SUPPORTED, INVALID_ARGUMENTS.
//
// # Safety
// Pointers are live, and the bytes that they point at can be read.
int32_t leveret_pool_add(struct leveret_pool *pool,
                         const struct leveret_request *request);

// Sends the batch to all its servers and gathers all answers, within the time-outs: SUCCESS, SOME_ERRORS, BUFFERED,
// NO_SERVERS.
//
// # Safety
// `pool` is live.
int32_t leveret_pool_run(struct leveret_pool *pool);

// As leveret_pool_run, for a host language that must be able to stop a wait: calls `is_interrupted` at each turn of
// it, and so after each signal; not 0 ends the wait. -1: it was ended; the next call of this function continues, and
// the next batch drops it. `is_interrupted` must not use the pool.
//
// # Safety
// `pool` is live; `is_interrupted` may be called with `context`, in this thread.
int32_t leveret_pool_run_until_interrupted(struct leveret_pool *pool,
                                           uint32_t (*is_interrupted)(void *context),
                                           void *context);

// Sends the batch and waits for nothing but connections: leveret_pool_next waits for the answers. SOME_ERRORS: no
// server could be reached.
//
// # Safety
// `pool` is live.
int32_t leveret_pool_start(struct leveret_pool *pool);

// 1: *answer is the next one, in order of arrival; its memory is valid until the next batch begins, or after
// leveret_pool_start until the next call. 0: there are no more. Misses of gets are not answered, except for the only
// request of a batch.
//
// # Safety
// Pointers are live.
int32_t leveret_pool_next(struct leveret_pool *pool,
                          struct leveret_answer *answer);

// Sends writes that wait in buffers: SUCCESS or SOME_ERRORS.
//
// # Safety
// `pool` is live.
int32_t leveret_pool_flush_buffers(struct leveret_pool *pool);

// Closes all connections, once the servers have the writes that wait for them; they are made again when they are
// needed. Servers that failed are tried again at once, except those that were ejected for good.
//
// # Safety
// `pool` is live.
void leveret_pool_quit(struct leveret_pool *pool);

// The arena behind the pool, if the pool is that one server, or if its only server is this host's `leveret serve`
// (LEVERET_POOL_SHORT_CUT): then items may be read and written without the pool. Else NULL, also if it cannot be
// opened; requests then say why. Cheap. Valid until the next call of this function, or until the server list changes.
// Not to be closed. Each new second of `now` begins with a look whether the arena's file was removed: a caller may
// read its clock less often than it asks. 0 = the present.
//
// # Safety
// `pool` is live.
struct leveret_arena *leveret_pool_arena(struct leveret_pool *pool,
                                         uint32_t now);

// The longest value that may be stored directly into the arena that leveret_pool_arena has just returned: its server
// refuses longer ones.
//
// # Safety
// `pool` is live.
size_t leveret_pool_value_max(const struct leveret_pool *pool);

// One request and its answer, with the results of leveret_pool_begin, leveret_pool_add, leveret_pool_run and
// leveret_pool_next. If the pool is one arena, as leveret_pool_arena returns it, a store is executed directly and
// leaves the batch alone. Returns the code, which is also answer->code. A request without an answer is
// LEVERET_UNANSWERED: a quiet one, or one that is refused before it is sent. Memory of *answer is valid until the next
// batch begins.
//
// # Safety
// Pointers are live, and the bytes that they point at can be read.
int32_t leveret_pool_call(struct leveret_pool *pool,
                          const struct leveret_request *request,
                          struct leveret_answer *answer);

// Adds a server: a name, an address, the path of a Unix socket, or an arena: "arena:NAME", or a path that ends in
// .arena, with or without "unix://". Sockets and arenas have no port, but to libmemcached's rings 0 (of a socket in a
// list) and 11211 (of one that was added by itself) are different servers. `dir` is the folder of named arenas, as in
// leveret_open_options. Names are resolved, and arenas opened, when they are first needed.
//
// # Safety
// `pool` is live; `host` and `dir` can be read.
int32_t leveret_pool_add_server(struct leveret_pool *pool,
                                struct leveret_bytes host,
                                uint16_t port,
                                uint16_t udp_port,
                                uint32_t weight,
                                struct leveret_bytes dir);

// 1: the last arena that this process named as a server and could not open; `message`, NUL-terminated and cut to
// `message_len`, says why and how to fix it, as result codes cannot. 0: none, or it was reported before.
//
// # Safety
// `message` has room for `message_len` bytes.
uint32_t leveret_pool_arena_trouble(char *message,
                                    size_t message_len);

// Forgets all servers and closes their connections.
//
// # Safety
// `pool` is live.
void leveret_pool_clear_servers(struct leveret_pool *pool);

// Number of servers.
//
// # Safety
// `pool` is live.
uint32_t leveret_pool_servers(const struct leveret_pool *pool);

// Describes a server: SUCCESS, or INVALID_ARGUMENTS when there is none of this index.
//
// # Safety
// Pointers are live.
int32_t leveret_pool_server(const struct leveret_pool *pool,
                            uint32_t index,
                            struct leveret_server *server);

// Gives one server settings of its own: milliseconds to connect and to answer (0 = the pool's), and seconds for which
// it is not tried after a failure (negative = never again).
//
// # Safety
// `pool` is live.
void leveret_pool_tune_server(struct leveret_pool *pool,
                              uint32_t index,
                              uint32_t timeout_ms,
                              int64_t retry_timeout_s);

// Marks a server as good, or with `is_up` 0 as failed: it is tried again after this many seconds, negative = never.
//
// # Safety
// `pool` is live.
void leveret_pool_mark_server(struct leveret_pool *pool,
                              uint32_t index,
                              uint32_t is_up,
                              int64_t rest_s);

// Sets the credentials (SASL PLAIN) of one server, or of all present and future ones (`index` -1); user.data NULL =
// none. Each new connection begins with the sign-in, in the binary protocol, whatever the pool speaks. `lenient` 1: a
// server without passwords is used without one; otherwise its requests end with AUTH_PROBLEM. A changed user or
// password closes connections and ends the batch. INVALID_ARGUMENTS: there is no such server, or user or password has
// a zero byte or more than 4096 bytes.
//
// # Safety
// `pool` is live; `user` and `password` can be read.
int32_t leveret_pool_set_credentials(struct leveret_pool *pool,
                                     int32_t index,
                                     struct leveret_bytes user,
                                     struct leveret_bytes password,
                                     uint32_t lenient);

// Connects to one server now, if it is not connected: SUCCESS, or why it failed (leveret_pool_failure says more). Ends
// the batch.
//
// # Safety
// `pool` is live.
int32_t leveret_pool_connect(struct leveret_pool *pool,
                             uint32_t index);

// 1: *failure is the server that failed as the `number`th since the batch began, counted from 0. 0: fewer failed.
// Requests that another server took over show no failure in their answers.
//
// # Safety
// Pointers are live.
int32_t leveret_pool_failure(const struct leveret_pool *pool,
                             uint32_t number,
                             struct leveret_failure *failure);

// Index of the server on which a key lives, dead or not; -1 = there is no server.
//
// # Safety
// `pool` is live; `key` can be read.
int64_t leveret_pool_locate(struct leveret_pool *pool, struct leveret_bytes key);

// Index of the server that a get of this key would go to now, which may have taken a dead one's place; -1 = there is
// no server.
//
// # Safety
// `pool` is live; `key` can be read.
int64_t leveret_pool_route(struct leveret_pool *pool,
                           struct leveret_bytes key);

// Changes a setting, a leveret_pool_option: SUCCESS, or INVALID_ARGUMENTS where there is no such setting or value.
//
// # Safety
// `pool` is live.
int32_t leveret_pool_set_option(struct leveret_pool *pool,
                                uint32_t option,
                                int64_t value);

// Says with what each key begins that does not tell where it lives, unless LEVERET_POOL_HASH_WITH_PREFIX is set.
// Requests still name whole keys.
//
// # Safety
// `pool` is live; `prefix` can be read.
void leveret_pool_set_prefix(struct leveret_pool *pool,
                             struct leveret_bytes prefix);

// TLS settings of servers named "tls://host", for connections from now on. Files are PEM and read when they are first
// needed; errors in them are reported as the value of an answer, and by leveret_pool_arena_trouble. Empty: `ca_file` =
// the system's authorities; `peer_name` = the certificate must name the host; `certificate` = no client certificate;
// `key` = it is in the file of the certificate. `verify` 0 = certificates are not verified: insecure. SUCCESS or
// INVALID_ARGUMENTS.
//
// # Safety
// `pool` is live; the others can be read.
int32_t leveret_pool_set_tls(struct leveret_pool *pool,
                             struct leveret_bytes ca_file,
                             struct leveret_bytes peer_name,
                             struct leveret_bytes certificate,
                             struct leveret_bytes key,
                             uint32_t verify);

// Gives the servers of LEVERET_RING_VIRTUAL_BUCKET, an index for each bucket, and chooses that ring. `count` 0: each
// server is a bucket, and `servers` may be NULL.
//
// # Safety
// `pool` is live; `servers` has `count` numbers.
void leveret_pool_set_buckets(struct leveret_pool *pool,
                              const uint32_t *servers,
                              size_t count);

// Looks an item up as `how` says. OK: reading->found; MISS, LOST; with LEVERET_READ_CAS also BUSY and FAILED. FAILED also
// where `how` has other bits. `hash`: with LEVERET_READ_HASHED what leveret_ask_for of this arena has told of the key.
// Counts a hit or a miss.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_read_begin(const struct leveret_arena *arena,
                                       struct leveret_bytes key,
                                       uint32_t how,
                                       uint64_t hash,
                                       uint32_t now,
                                       struct leveret_reading *reading);

// Copies the value of reading->found: OK, and dst[0..value_len] is that very version. RETRY: it was recycled, and
// reading->found is another version: make room again. MISS: the key has no item any more. LOST, BUSY, FAILED: as
// leveret_read_begin.
//
// # Safety
// Pointers are live; reading->found was filled by this arena; `dst` has room for its `value_len` bytes.
enum leveret_status leveret_read_copy(const struct leveret_arena *arena,
                                      struct leveret_bytes key,
                                      struct leveret_reading *reading,
                                      void *dst);

// A link without a server.
struct leveret_redis *leveret_redis_new(void);

// Ends a link: drops queued requests, and waits for nothing. NULL is allowed.
//
// # Safety
// `redis` came from leveret_redis_new and is not used afterwards.
void leveret_redis_free(struct leveret_redis *redis);

// Sets the server. Closes an open connection, and does not connect yet. OK, or TOO_LARGE: the host is invalid.
//
// # Safety
// Pointers are live, and the bytes that they point at can be read.
enum leveret_redis_code leveret_redis_set_server(struct leveret_redis *redis,
                                                 const struct leveret_redis_server *server);

// Says how patient the link is, from now on.
//
// # Safety
// Pointers are live.
void leveret_redis_set_tuning(struct leveret_redis *redis,
                              const struct leveret_redis_tuning *tuning);

// Connects now, if that is not so. OK also where the server's arena is used: then a connection is made when it is needed.
//
// # Safety
// `redis` is live.
enum leveret_redis_code leveret_redis_connect(struct leveret_redis *redis);

// Drops queued requests and ends the connection, or keeps it for the next link. The next request connects again.
//
// # Safety
// `redis` is live.
void leveret_redis_close(struct leveret_redis *redis);

// Queues a command of `count` words, its name first; nothing is sent. `raw` 1: an application has written it as it is. Replies
// of an earlier flush that were not read end their connection; in a transaction that is LOST.
//
// # Safety
// `redis` is live; `words` points at `count` of them, which can be read.
enum leveret_redis_code leveret_redis_request(struct leveret_redis *redis,
                                              const struct leveret_bytes *words,
                                              size_t count,
                                              uint32_t raw);

// Drops queued requests.
//
// # Safety
// `redis` is live.
void leveret_redis_drop(struct leveret_redis *redis);

// Queues AUTH; user.data NULL = the default one. Once the server has agreed, later connections begin with it. A kept
// connection that is signed in so may take the place of this one.
//
// # Safety
// `redis` is live; `user` and `password` can be read.
enum leveret_redis_code leveret_redis_auth(struct leveret_redis *redis,
                                           struct leveret_bytes user,
                                           struct leveret_bytes password);

// Sends queued requests, over a new connection if there is none. *turn names the replies for leveret_redis_next.
// Nothing is queued afterwards, whatever the result.
//
// # Safety
// Pointers are live.
enum leveret_redis_code leveret_redis_flush(struct leveret_redis *redis,
                                            uint64_t *turn);

// Announces further replies beyond those to requests: messages.
//
// # Safety
// `redis` is live.
void leveret_redis_expect(struct leveret_redis *redis, uint32_t replies);

// The next token of these replies; waits for it. A string that was not copied is skipped. Every result except OK and
// TURN has ended the connection.
//
// # Safety
// Pointers are live.
enum leveret_redis_code leveret_redis_next(struct leveret_redis *redis,
                                           uint64_t turn,
                                           struct leveret_redis_token *token);

// Copies the string of the last token; waits for it. TURN: it is another one by now, or `len` is not its length.
//
// # Safety
// `redis` is live; `dst` has room for `len` bytes, and they are the caller's own.
enum leveret_redis_code leveret_redis_copy(struct leveret_redis *redis,
                                           uint64_t turn,
                                           void *dst,
                                           size_t len);

// 1: the reply whose tokens are read is not whole yet.
//
// # Safety
// `redis` is live.
uint32_t leveret_redis_is_within(const struct leveret_redis *redis);

// Why the last call that was not OK was not.
//
// # Safety
// `redis` is live.
struct leveret_bytes leveret_redis_error(const struct leveret_redis *redis);

// State of the link.
//
// # Safety
// Pointers are live.
void leveret_redis_get_state(const struct leveret_redis *redis, struct leveret_redis_state *state);

// Counts sent and received bytes from 0 again.
//
// # Safety
// `redis` is live.
void leveret_redis_clear_transferred(struct leveret_redis *redis);

// 1: the other end is there. Nothing is sent.
//
// # Safety
// `redis` is live.
uint32_t leveret_redis_is_alive(struct leveret_redis *redis);

// Executes a command of `count` words in the arena of the selected database, if the server's arena is used and the command is
// one on strings. 1: done, and *turn names the reply for leveret_redis_next. 0: nothing was done; it is to be queued and
// flushed. SELECT of a database that the server has is one too.
//
// # Safety
// Pointers are live; `words` points at `count` of them, which can be read.
uint32_t leveret_redis_execute(struct leveret_redis *redis,
                               const struct leveret_bytes *words,
                               size_t count,
                               uint64_t *turn);

// The arena of the selected database, if this host's `leveret serve --redis` has it and it may be used in the server's place
// now: then keys may be read and written there without the link. Else NULL. Cheap. Valid until the next call with the link.
// Not to be closed.
//
// # Safety
// `redis` is live.
struct leveret_arena *leveret_redis_arena(struct leveret_redis *redis);

// The arena's clock: seconds since boot, suspend included.
uint32_t leveret_now(void);

// A moment of the arena's clock as Unix time.
int64_t leveret_unix_time(uint32_t arena_time);

// A Unix time as a moment of the arena's clock; before boot becomes 0.
uint32_t leveret_from_unix(int64_t unix_time);

// The deadline of a ttl as the native entrances know it: 0 or less is over at once. It always has an end:
// LEVERET_NEVER is for the caller to say.
uint32_t leveret_deadline_of_ttl(int64_t seconds,
                                 uint32_t now);

// The deadline of an exptime as memcached's text protocol knows it: 0 never comes, a negative one has come, up to thirty
// days are seconds from now, and more is a Unix time.
uint32_t leveret_deadline_of_exptime(int64_t exptime,
                                     uint32_t now);

// The exptime for a number of seconds from now in any protocol: more than thirty days become a Unix time. 0 and less
// keep their meaning on the wire.
int64_t leveret_exptime_of_ttl(int64_t seconds);

// The next item: OK, and *record is valid until the next call. Each key that exists throughout the walk is visited
// exactly once. MISS: the walk is complete. NO_MEMORY: give `buffer` room for `needed` bytes, `len` that number, and
// call again; the first call returns this. BUSY: worth another call. LOST, FAILED: the rest cannot be read.
//
// # Safety
// Pointers are live; `walk->buffer` is aligned to 8 and has room for `walk->len` bytes.
enum leveret_status leveret_walk_next(const struct leveret_arena *arena,
                                      struct leveret_walk *walk,
                                      const struct leveret_record **record);

// Appends records to `buffer` until it is full or the walk is over: what leveret_walk_next is made of. OK: *used bytes
// are valid, call again. MISS: *used bytes are valid and the walk is over. NO_MEMORY: not even one step fits, *used is
// the size needed. BUSY, LOST.
//
// # Safety
// Pointers are live; `buffer` is aligned to 8 and has room for `len` bytes.
enum leveret_status leveret_scan(const struct leveret_arena *arena,
                                 struct leveret_cursor *cursor,
                                 uint32_t now,
                                 uint8_t *buffer,
                                 size_t len,
                                 size_t *used);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LEVERET_H */
