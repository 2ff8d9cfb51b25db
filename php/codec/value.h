/* codec/value.h: zval <-> bytes. */
#ifndef PHP_LEVERET_CODEC_VALUE_H
#define PHP_LEVERET_CODEC_VALUE_H

#include "php.h"
#include "leveret.h"

/* A zval in the form in which the engine stores it. `bytes` points into `owned`, into the zval's own string, or at a
 * field of this struct: so it is used where it was filled in, and never copied. */
typedef struct php_leveret_encoded {
	leveret_bytes bytes;
	leveret_meta meta;
	void *owned; /* block of the request's heap that php_leveret_encoded_free releases; NULL for strings and integers */
	int64_t integer;
} php_leveret_encoded;

/* Runs user code (__serialize). False: an exception is pending, or a warning was given; nothing to free. */
bool php_leveret_encode(zval *value, bool of_apcu, php_leveret_encoded *out);
void php_leveret_encoded_free(php_leveret_encoded *encoded);

typedef enum php_leveret_fetch {
	PHP_LEVERET_HIT,  /* *return_value is set */
	PHP_LEVERET_MISS, /* no such item, or its data would not unserialize (a warning was given) */
	PHP_LEVERET_ERROR /* LOST or an exception is pending */
} php_leveret_fetch;

/* Finds, allocates, copies, decodes; serves arrays from the decoded-value cache. Runs user code (__unserialize). */
php_leveret_fetch php_leveret_fetch_value(leveret_arena *arena, zend_string *key, uint32_t now, zval *return_value);
/* Prefetches the memory of an array's keys from index `from` on, and returns their hashes, so that a fetch of each
 * waits less. The hash of an element that is no string is undefined. */
void php_leveret_ask_for(leveret_arena *arena, HashTable *keys, uint32_t from, uint64_t hashes[LEVERET_AHEAD]);
/* The same for the keys of an array of values that are about to be stored, from place *from on, which it moves behind
 * them. Returns how many elements those are. */
uint32_t php_leveret_ask_for_names(leveret_arena *arena, HashTable *values, uint32_t *from);
/* As php_leveret_fetch_value, for a key whose hash is known. */
php_leveret_fetch php_leveret_fetch_hashed(
	leveret_arena *arena, zend_string *key, uint64_t hash, uint32_t now, zval *return_value);
/* The value of an item that was found: copies and decodes. Where it was recycled meanwhile that of its key now;
 * reading->found says which. */
php_leveret_fetch php_leveret_read(
	leveret_arena *arena, zend_string *key, leveret_reading *reading, zval *return_value);

#endif
