/* redis/arena.c: values straight from the arena of a server of this host: get(), MGET, STRLEN. Other commands on strings are
 * executed there by leveret_redis_execute(). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

/* Whether the server sends the item's bytes unchanged: it converts compact arrays to the form of serialize(). */
static zend_always_inline bool is_given_as_it_is(const leveret_meta *meta)
{
	return EXPECTED(meta->encoding != LEVERET_PHP) || (meta->origin != LEVERET_NATIVE && meta->origin != LEVERET_RUBY);
}

/* OK: *data is the value. MISS: there is no item. Any other status: ask the server. */
static zend_always_inline leveret_status copy_value(
	const leveret_arena *arena, leveret_bytes key, uint32_t how, uint64_t hash, zend_string **data)
{
	leveret_reading reading;
	leveret_status status = leveret_read_begin(arena, key, how, hash, 0, &reading);
	while (EXPECTED(status == LEVERET_OK || status == LEVERET_RETRY)) {
		if (UNEXPECTED(!is_given_as_it_is(&reading.found.meta))) {
			return LEVERET_FAILED;
		}
		status = php_leveret_read_string(arena, key, &reading, data);
		if (EXPECTED(status == LEVERET_OK)) {
			return status;
		}
	}
	return status;
}

/* Takes ownership of `data`. Runs user code if the value is packed. */
static void give(redis_object *self, zend_string *data, zval *value)
{
	if (php_leveret_redis_unpack(self, data, value)) {
		zend_string_release(data);
	} else {
		ZVAL_STR(value, data);
	}
}

/* --- get() --- */

bool php_leveret_redis_get_from_arena(redis_object *self, zend_string *key, zval *return_value)
{
	leveret_arena *arena = leveret_redis_arena(self->link);
	if (!arena) {
		return false;
	}
	zend_string *data;
	leveret_status status = copy_value(arena, php_leveret_string(key), 0, 0, &data);
	if (UNEXPECTED(status != LEVERET_OK)) {
		RETVAL_FALSE;
		return status == LEVERET_MISS;
	}
	if (EXPECTED(self->serializer == REDIS_SERIALIZER_NONE && self->compression == REDIS_COMPRESSION_NONE)) {
		RETVAL_NEW_STR(data);
		return true;
	}
	/* Held: code of the value (__wakeup) may let go of the object. */
	zval value;
	GC_ADDREF(&self->std);
	give(self, data, &value);
	ZVAL_COPY_VALUE(return_value, &value);
	OBJ_RELEASE(&self->std);
	return true;
}

/* --- MGET, STRLEN --- */

/* Copies all values before one is decoded, because decoding runs user code. NULL: no item under that key. */
static bool copy_values(const leveret_arena *arena, const leveret_bytes *keys, uint32_t count, zend_string **values)
{
	uint64_t hashes[LEVERET_AHEAD];
	for (uint32_t begin = 0; begin < count; begin += LEVERET_AHEAD) {
		uint32_t end = MIN(begin + LEVERET_AHEAD, count);
		leveret_ask_for(arena, &keys[begin], end - begin, hashes);
		for (uint32_t i = begin; i < end; i++) {
			leveret_status status = copy_value(arena, keys[i], LEVERET_READ_HASHED, hashes[i - begin], &values[i]);
			if (status != LEVERET_OK && status != LEVERET_MISS) {
				return false;
			}
		}
	}
	return true;
}

static bool get_many(redis_object *self, const leveret_arena *arena, const redis_words *words, zval *value)
{
	uint32_t count = words->count - 1;
	zend_string **values = ecalloc(count, sizeof(*values));
	bool is_good = copy_values(arena, &words->list[1], count, values);
	if (is_good) {
		array_init_size(value, count);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (is_good) {
			zval element;
			if (values[i]) {
				give(self, values[i], &element);
			} else {
				ZVAL_FALSE(&element);
			}
			zend_hash_next_index_insert(Z_ARRVAL_P(value), &element);
		} else if (values[i]) {
			zend_string_release(values[i]);
		}
	}
	efree(values);
	return is_good;
}

static bool tell_length(const leveret_arena *arena, leveret_bytes key, zval *value)
{
	leveret_reading reading;
	leveret_status status = leveret_read_begin(arena, key, 0, 0, 0, &reading);
	if (status == LEVERET_OK && is_given_as_it_is(&reading.found.meta)) {
		ZVAL_LONG(value, (zend_long) reading.found.value_len);
		return true;
	}
	ZVAL_LONG(value, 0);
	return status == LEVERET_MISS;
}

static bool is_command(const redis_words *words, const char *name)
{
	return words->list[0].len == strlen(name) && memcmp(words->list[0].data, name, strlen(name)) == 0;
}

bool php_leveret_redis_read_arena(redis_object *self, const redis_words *words, redis_shape shape, zval *value)
{
	bool is_many = is_command(words, "MGET") && shape == php_leveret_redis_list && words->count > 1;
	bool is_length = !is_many && is_command(words, "STRLEN") && words->count == 2;
	leveret_arena *arena = is_many || is_length ? leveret_redis_arena(self->link) : NULL;
	if (!arena) {
		return false;
	}
	return is_many ? get_many(self, arena, words, value) : tell_length(arena, words->list[1], value);
}
