/* frozen.c: the decoded-value cache. Reading an item again costs a copy and a decoder, proving that it is unchanged one
 * look at the index. The oldest values are dropped when there are too many bytes.
 */
#include "frozen.h"
#include "value.h"
#include <ruby/ractor.h>

/* A decoded value takes some times the bytes of its item. */
#define BYTES_FOR(len) (4 * (len) + 256)

typedef struct frozen_value {
	leveret_version version;
	VALUE value;
	size_t bytes;
} frozen_value;

/* A key is its bytes, with any encoding: comparing that too, as Ruby's own functions do, takes half of a look-up. */
static int compare(st_data_t one, st_data_t other)
{
	VALUE a = (VALUE) one, b = (VALUE) other;
	return a != b
		&& (RSTRING_LEN(a) != RSTRING_LEN(b) || memcmp(RSTRING_PTR(a), RSTRING_PTR(b), (size_t) RSTRING_LEN(a)) != 0);
}

/* Both halves of the product, so that each bit of either counts. */
static uint64_t mix(uint64_t one, uint64_t other)
{
	__uint128_t product = (__uint128_t) one * other;
	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static uint64_t word(const char *at, size_t len)
{
	uint64_t word = 0;
	memcpy(&word, at, len);
	return word;
}

/* Ruby's own hash of bytes takes half of a look-up. Here a secret of this process is in each product, so keys with
 * equal hashes cannot be constructed. The last word may repeat bytes of the one before. */
static uint64_t secrets[2];

static st_index_t hash(st_data_t key)
{
	const char *at = RSTRING_PTR((VALUE) key);
	size_t len = (size_t) RSTRING_LEN((VALUE) key);
	uint64_t hash = secrets[0] ^ len;
	if (len >= 8) {
		for (size_t done = 0; done + 8 < len; done += 8) {
			hash = mix(hash ^ word(at + done, 8), secrets[1]);
		}
		return mix(hash ^ word(at + len - 8, 8), secrets[1]);
	}
	uint64_t last = len >= 4 ? word(at, 4) << 32 | word(at + len - 4, 4)
		: len                ? word(at, 1) << 16 | word(at + len / 2, 1) << 8 | word(at + len - 1, 1)
							 : 0;
	return mix(hash ^ last, secrets[1]);
}

void frozen_init(void)
{
	secrets[0] = rb_memhash("one", 3);
	secrets[1] = rb_memhash("other", 5) | 1;
}

static const struct st_hash_type by_bytes = { compare, hash };

static void drop(frozen_values *values, VALUE key)
{
	st_data_t name = (st_data_t) key, found;
	if (st_delete(values->table, &name, &found)) {
		values->bytes -= ((frozen_value *) found)->bytes;
		xfree((frozen_value *) found);
	}
}

bool frozen_find(frozen_values *values, const leveret_arena *arena, VALUE key, VALUE *value)
{
	st_data_t found;
	if (!values->table || !st_lookup(values->table, (st_data_t) key, &found)) {
		return false;
	}
	frozen_value *kept = (frozen_value *) found;
	if (RB_LIKELY(leveret_is_current(arena, &kept->version, 0) == LEVERET_OK)) {
		*value = kept->value;
		return true;
	}
	drop(values, key);
	return false;
}

static int drop_oldest(st_data_t key, st_data_t found, st_data_t context)
{
	frozen_values *values = (void *) context;
	if (values->bytes <= values->limit) {
		return ST_STOP;
	}
	values->bytes -= ((frozen_value *) found)->bytes;
	xfree((frozen_value *) found);
	return ST_DELETE;
}

VALUE frozen_keep(frozen_values *values, VALUE key, const leveret_found *found, VALUE value)
{
	VALUE shared = value_rescue(rb_ractor_make_shareable, value, NULL);
	if (shared == Qundef) {
		return rb_obj_freeze(value);
	}
	value = shared;
	/* A number is counted in place: its version stays the same. */
	if (found->is_number || BYTES_FOR(found->value_len) > values->limit) {
		return value;
	}
	VALUE name = rb_str_new_frozen(key);
	frozen_value *kept = ALLOC(frozen_value);
	*kept = (frozen_value) { .version = found->version, .value = value, .bytes = BYTES_FOR(found->value_len) };
	if (!values->table) {
		values->table = st_init_table(&by_bytes);
	}
	drop(values, name);
	st_insert(values->table, (st_data_t) name, (st_data_t) kept);
	values->bytes += kept->bytes;
	if (values->bytes > values->limit) {
		st_foreach(values->table, drop_oldest, (st_data_t) values);
	}
	return value;
}

static int free_value(st_data_t key, st_data_t found, st_data_t context)
{
	xfree((frozen_value *) found);
	return ST_DELETE;
}

void frozen_forget(frozen_values *values)
{
	if (values->table) {
		st_foreach(values->table, free_value, 0);
		st_free_table(values->table);
		values->table = NULL;
		values->bytes = 0;
	}
}

static int mark(st_data_t key, st_data_t found, st_data_t context)
{
	rb_gc_mark((VALUE) key);
	rb_gc_mark(((frozen_value *) found)->value);
	return ST_CONTINUE;
}

void frozen_mark(frozen_values *values)
{
	if (values->table) {
		st_foreach(values->table, mark, 0);
	}
}
