/* frozen.c: the decoded-value cache. Reading an item anew costs a copy and a decoder, and proving that it is unchanged one
 * look at the index. The oldest values go when there are too many bytes.
 */
#include "frozen.h"
#include <ruby/ractor.h>

/* A decoded value takes some times the bytes of its item. */
#define BYTES_FOR(len) ((len) * 4 + 256)

typedef struct frozen_value {
	leveret_version version;
	VALUE value;
	size_t bytes;
} frozen_value;

static int compare(st_data_t one, st_data_t other)
{
	return one == other ? 0 : rb_str_hash_cmp((VALUE) one, (VALUE) other);
}

static st_index_t hash(st_data_t key)
{
	return rb_str_hash((VALUE) key);
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
	int state = 0;
	value = rb_protect(rb_ractor_make_shareable, value, &state);
	if (state) {
		VALUE error = rb_errinfo();
		if (!RTEST(rb_obj_is_kind_of(error, rb_eStandardError))) {
			rb_jump_tag(state);
		}
		rb_set_errinfo(Qnil);
		return rb_obj_freeze(value);
	}
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
