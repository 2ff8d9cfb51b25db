/* leveret.h: the C ABI of Leveret. Generated from crates/leveret-ffi by its test (LEVERET_WRITE_HEADER=1 cargo test -p leveret-ffi): edit there.
 *
 * Any thread may call any function. No call keeps a lock, memory or a pointer into shared memory beyond its return, so host
 * code may longjmp between any two calls. `now` is a moment of the arena's clock, in seconds; 0 = read the clock (4 ns).
 * Strings are pointer and length. Pointers must not be NULL, except where said. A process ends (abort) if the engine finds
 * its own code broken; no Rust panic unwinds into C.
 */

#ifndef LEVERET_H
#define LEVERET_H

#include <stddef.h>
#include <stdint.h>

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
  // No room could be made; for leveret_scan: the buffer is too small.
  LEVERET_NO_MEMORY,
  // The arena's file was truncated, replaced or unlinked: close it and open it again.
  LEVERET_LOST,
  // Open: the message says why and how to mend it. Else: this process cannot write to the arena (process table full, no life sign).
  LEVERET_FAILED,
  // Lease: another process computes; up to 20 ms have passed. Look for the value, then ask again.
  LEVERET_WAIT,
  // Lease: compute without one.
  LEVERET_NO_LEASE,
} leveret_status;

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

// What an item's bytes are.
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
  // Leveret\Cache, apcu_*, the command.
  LEVERET_NATIVE = 3,
  // The Ruby gems.
  LEVERET_RUBY = 4,
} leveret_origin;

// One arena; opaque.
typedef struct leveret_arena leveret_arena;

// Bytes of the caller. `data` may be NULL when `len` is 0.
typedef struct leveret_bytes {
  // First byte.
  const uint8_t *data;
  // How many.
  size_t len;
} leveret_bytes;

// Proof of one version of one item.
typedef struct leveret_version {
  // Hash of the key.
  uint64_t hash;
  // The slot word.
  uint64_t slot;
  // State word of the segment.
  uint64_t segment;
  // Flush epoch.
  uint32_t epoch;
  // Its deadline when it was found.
  uint32_t deadline;
} leveret_version;

// What an item's value is to whoever reads it, besides its bytes.
typedef struct leveret_meta {
  // The client's own opaque 32 bits.
  uint32_t flags;
  // Which family of entrances wrote it, an `Origin`.
  uint8_t origin;
  // What the bytes are, an `Encoding`.
  uint8_t encoding;
  // Compression of the bytes: 0 = none.
  uint8_t codec;
  // 0.
  uint8_t reserved;
} leveret_meta;

// What is known of an item before its bytes are copied.
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
  // From when on it is dead, on the arena's clock; `u32::MAX` = never.
  uint32_t deadline;
  // Where the value begins in the item. Private.
  uint32_t value_off;
  // 1 when the value is `number`.
  uint8_t is_number;
  // Reads since it was stored: exact up to 15, an estimate above.
  uint8_t hits;
  // 1 when it was read since it was stored.
  uint8_t fetched;
  // How the value lies in the item. Private.
  uint8_t kind;
} leveret_found;

// The right to compute the value of one key.
typedef struct leveret_ticket {
  // Hash of the key.
  uint64_t hash;
  // Number of the lease.
  uint32_t slot;
  // Which use of it.
  uint32_t serial;
} leveret_ticket;

// An arena's state in numbers. Counts may be off by what killed processes had not published: up to 63 reads each.
typedef struct leveret_stats {
  // Live items, expired ones that nobody has met yet included.
  uint64_t items;
  // Bytes of these items: header, key, value, padding.
  uint64_t item_bytes;
  // The arena's limit, bytes.
  uint64_t memory_limit;
  // Bytes allocated so far: metadata, index and data.
  uint64_t memory_allocated;
  // Bytes that can be stored before eviction begins, an estimate.
  uint64_t memory_free;
  // Reads that found a live item.
  uint64_t hits;
  // Reads that found none.
  uint64_t misses;
  // Stores that succeeded, each way of storing.
  uint64_t sets;
  // Deletes that found an item.
  uint64_t deletes;
  // Increments and decrements that succeeded.
  uint64_t increments;
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
  // Flushes of the whole arena.
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
  // Unix time of the arena's creation or its last flush.
  int64_t created_unix;
  // Living processes that have written to the arena.
  uint32_t attached;
  // Version of the file's layout.
  uint32_t layout;
} leveret_stats;

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
} leveret_open_options;

// Where a walk stands. All zero is its start.
typedef struct leveret_cursor {
  // Shard under way.
  uint32_t shard;
  // Buckets of that shard's level when the walk reached it; 0 = not reached yet.
  uint32_t level;
  // Next bucket of that level.
  uint64_t bucket;
} leveret_cursor;

// One item in the buffer of leveret_scan. The key's bytes follow, then padding; the next record is `record_len` bytes on.
typedef struct leveret_record {
  // The item.
  struct leveret_found found;
  // Bytes of the key.
  uint32_t key_len;
  // Bytes up to the next record, a multiple of 8.
  uint32_t record_len;
} leveret_record;



#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The arena's clock: seconds since boot, suspend included.
uint32_t leveret_now(void);

// A moment of the arena's clock as Unix time.
int64_t leveret_unix_time(uint32_t arena_time);

// A Unix time as a moment of the arena's clock; before boot becomes 0.
uint32_t leveret_from_unix(int64_t unix_time);

// Version of the layout of arenas that this library reads and writes.
uint32_t leveret_layout_version(void);

// Looks an item up. OK, MISS or LOST; counts a hit or a miss.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_find(const struct leveret_arena *arena,
                                 struct leveret_bytes key,
                                 uint32_t now,
                                 struct leveret_found *found);

// As leveret_find, with found->cas. The first time it may take the shard's lock: BUSY.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_find_cas(const struct leveret_arena *arena,
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

// Copies the value of a found item: OK, and dst[0..value_len] is that very version, or RETRY: find again.
//
// # Safety
// `found` was filled by this arena; `dst` has room for `found->value_len` bytes.
enum leveret_status leveret_copy(const struct leveret_arena *arena,
                                 const struct leveret_found *found,
                                 uint8_t *dst);

// Whether the arena still holds this very version, alive: OK or MISS. One index look-up; the item is not touched. Counts a hit.
//
// # Safety
// Pointers are live; `version` was filled by this arena.
enum leveret_status leveret_is_current(const struct leveret_arena *arena,
                                       const struct leveret_version *version,
                                       uint32_t now);

// Stores a value. With meta->encoding INTEGER, `value` is an int64_t of 8 bytes. `cas` is for mode CAS; `new_cas` may be NULL.
// OK; EXISTS (add, cas); MISS (replace, append, prepend, cas); TOO_LARGE, KEY_TOO_LONG, NO_MEMORY, BUSY, LOST, FAILED.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_store(const struct leveret_arena *arena,
                                  struct leveret_bytes key,
                                  struct leveret_bytes value,
                                  const struct leveret_meta *meta,
                                  uint32_t deadline,
                                  enum leveret_mode mode,
                                  uint64_t cas,
                                  uint32_t now,
                                  uint64_t *new_cas);

// Removes an item: OK, MISS, BUSY, LOST.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_delete(const struct leveret_arena *arena,
                                   struct leveret_bytes key,
                                   uint32_t now);

// Gives an item another deadline: OK, MISS, BUSY, NO_MEMORY, LOST.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_touch(const struct leveret_arena *arena,
                                  struct leveret_bytes key,
                                  uint32_t deadline,
                                  uint32_t now);

// Adds to an INTEGER item; wraps. A missing one is created with the value `step` and this deadline if `create` is not 0.
// OK: *result is the new value; MISS; NOT_NUMBER; BUSY, NO_MEMORY, KEY_TOO_LONG, LOST, FAILED.
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

// Replaces an INTEGER item that has the value `old_value`: OK; EXISTS: another value, or no integer; MISS; BUSY, LOST.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_cas_integer(const struct leveret_arena *arena,
                                        struct leveret_bytes key,
                                        int64_t old_value,
                                        int64_t new_value,
                                        uint32_t now);

// Forgets every item at once, in constant time: OK or LOST.
//
// # Safety
// `arena` is live.
enum leveret_status leveret_flush(const struct leveret_arena *arena);

// Asks for the right to compute a key's value. OK: compute, store, release. WAIT: look for the value, then ask again with
// the time waited so far. NO_LEASE: compute without one.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_lease_acquire(const struct leveret_arena *arena,
                                          struct leveret_bytes key,
                                          uint32_t waited_ms,
                                          struct leveret_ticket *ticket);

// Gives a lease back and wakes who waits.
//
// # Safety
// Pointers are live.
void leveret_lease_release(const struct leveret_arena *arena, const struct leveret_ticket *ticket);

// Gives back what this thread still holds: for the end of a request, since an exit or a fatal error skips the release.
//
// # Safety
// `arena` is live.
void leveret_lease_release_all(const struct leveret_arena *arena);

// Counts and sizes; takes no lock.
//
// # Safety
// Pointers are live.
enum leveret_status leveret_get_stats(const struct leveret_arena *arena,
                                      struct leveret_stats *stats);

// Names the calling process as a web-server master: call it before it forks.
uint64_t leveret_master_token(void);

// A worker of that master comes. OK: the arena was emptied, since this is the first worker of a new master and no other
// listed master lives. MISS: nothing was to be done. BUSY, LOST.
//
// # Safety
// `arena` is live.
enum leveret_status leveret_master_enter(const struct leveret_arena *arena,
                                         uint64_t token);

// Opens an arena. OK: *arena is usable, *created says whether this call made it. FAILED: `message`, NUL-terminated and cut to
// `message_len`, says why and how to mend it.
//
// # Safety
// Pointers are live; `message` has room for `message_len` bytes.
enum leveret_status leveret_open(const struct leveret_open_options *options,
                                 struct leveret_arena **arena,
                                 uint32_t *created,
                                 char *message,
                                 size_t message_len);

// Ends the use of an arena by this handle. The arena itself lives on.
//
// # Safety
// `arena` came from leveret_open and is not used afterwards.
void leveret_close(struct leveret_arena *arena);

// OK, or LOST when the file was unlinked, replaced or truncated. One stat(2): call it once per request. Also measures the time
// spent in suspend and publishes this process's read counts.
//
// # Safety
// `arena` is live.
enum leveret_status leveret_check(const struct leveret_arena *arena);

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

// Appends records to `buffer` until it is full or the walk is over. Each key that lives through the walk is met exactly once.
// OK: *used bytes are valid, call again. MISS: *used bytes are valid and the walk is over. NO_MEMORY: not even one step fits,
// *used is the size needed. BUSY, LOST.
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
