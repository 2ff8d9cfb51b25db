/* memcached/call.c: one request or a batch of them, from the key that a script gives to the answers in the request's
 * heap. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/refused.h"
#include "memcached.h"

/* Whether some of eight bytes is a space, a control character or DEL: a byte below n borrows into its high bit, which
 * it has not set. */
static zend_always_inline bool has_gap(const char *bytes)
{
	const uint64_t ones = UINT64_MAX / 0xff, high_bits = ones << 7;
	uint64_t eight, without_del;
	memcpy(&eight, bytes, sizeof(eight));
	without_del = eight ^ (ones * 0x7f);
	return (((eight - ones * 0x21) & ~eight) | ((without_del - ones) & ~without_del)) & high_bits;
}

/* What the text protocol takes for a key: each byte is more than a space, no DEL, and not above `top`. */
static bool is_text(const char *key, size_t len, unsigned char top)
{
	size_t at = 0;
	if (len >= 8 && top == UCHAR_MAX) {
		/* The last eight overlap the ones before them. */
		if (has_gap(key + len - 8)) {
			return false;
		}
		for (; at + 8 < len; at += 8) {
			if (has_gap(key + at)) {
				return false;
			}
		}
		return true;
	}
	for (; at < len; at++) {
		unsigned char byte = (unsigned char) key[at];
		if (byte <= ' ' || byte == 0x7f || byte > top) {
			return false;
		}
	}
	return true;
}

static zend_always_inline bool may_send(const memc_link *link, const zend_string *key)
{
	size_t len = ZSTR_LEN(key) + (link->prefix ? ZSTR_LEN(link->prefix) : 0);
	if (UNEXPECTED(ZSTR_LEN(key) == 0 || len > MEMC_KEY_MAX)) {
		return false;
	}
	if (UNEXPECTED(link->behaviors[MEMC_BINARY_PROTOCOL])) {
		return !memchr(ZSTR_VAL(key), '\n', ZSTR_LEN(key));
	}
	return is_text(ZSTR_VAL(key), ZSTR_LEN(key), link->behaviors[MEMC_VERIFY_KEY] ? 0x7e : UCHAR_MAX);
}

bool php_leveret_memc_key_is_good(memc_object *self, const zend_string *key)
{
	bool good = may_send(self->link, key);
	if (UNEXPECTED(!good)) {
		memc_result(self, MEMC_BAD_KEY_PROVIDED);
	}
	return good;
}

bool php_leveret_memc_take_many(
	zend_execute_data *execute_data, bool by_key, zend_string **server_key, HashTable **array, zend_long *number)
{
	*server_key = NULL;
	*number = 0;
	ZEND_PARSE_PARAMETERS_START(1 + by_key, 2 + by_key)
		if (by_key) {
			Z_PARAM_STR(*server_key)
		}
		Z_PARAM_ARRAY_HT(*array)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(*number)
	ZEND_PARSE_PARAMETERS_END_EX(return false);
	return true;
}

void php_leveret_memc_call_back(memc_object *self, zend_fcall_info *call, zend_fcall_info_cache *cache, zval *second)
{
	zval arguments[2], answer;
	ZVAL_OBJ_COPY(&arguments[0], &self->std);
	ZVAL_COPY(&arguments[1], second);
	ZVAL_UNDEF(&answer);
	call->retval = &answer;
	call->params = arguments;
	call->param_count = 2;
	zend_call_function(call, cache);
	zval_ptr_dtor(&answer);
	zval_ptr_dtor(&arguments[0]);
	zval_ptr_dtor(&arguments[1]);
}

/* Among all keys of a server are those of others, without the prefix. */
static void memc_copy_answer(const zend_string *prefix, const leveret_answer *answer, client_copy *copy)
{
	bool has_prefix = prefix && answer->key.len >= ZSTR_LEN(prefix)
		&& memcmp(answer->key.data, ZSTR_VAL(prefix), ZSTR_LEN(prefix)) == 0;
	size_t skip = has_prefix ? ZSTR_LEN(prefix) : 0;
	client_copy_fitting(answer, copy);
	copy->key = zend_string_init((const char *) answer->key.data + skip, answer->key.len - skip, 0);
}

static void tell_failure(memc_object *self, const leveret_answer *answer, size_t len)
{
	leveret_arena *arena =
		answer->code == MEMC_SERVER_MEMORY_ALLOCATION_FAILURE ? leveret_pool_arena(self->link->pool, 0) : NULL;
	if (arena) {
		/* Before the result is told, which says the same without the length. */
		php_leveret_tell_no_memory(arena, len);
	}
	php_leveret_memc_result_of(self, answer);
}

bool php_leveret_memc_call(memc_object *self, leveret_request *request, client_copy *copy)
{
	leveret_pool *pool = self->link->pool;
	leveret_answer answer;
	self->is_fetching = false;
	int code = leveret_pool_call(pool, request, &answer);
	if (EXPECTED(code == MEMC_SUCCESS)) {
		memc_result(self, code);
	} else {
		tell_failure(self, &answer, request->value.len);
	}
	/* Requests that were not waited for have no answer. */
	if (code != MEMC_SUCCESS || answer.request == LEVERET_UNANSWERED) {
		return false;
	}
	if (copy) {
		client_copy_fitting(&answer, copy);
	}
	return true;
}

void php_leveret_memc_gather(memc_object *self, client_copies *copies, bool of_keys, uint32_t limit)
{
	leveret_answer answer;
	const zend_string *prefix = of_keys ? self->link->prefix : NULL;
	while (copies->count < limit && leveret_pool_next(self->link->pool, &answer)) {
		memc_copy_answer(prefix, &answer, php_leveret_client_copies_next(copies));
	}
}
