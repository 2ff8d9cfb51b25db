/* memcached_call.c: one request or a batch of them, from the key that a script gives to the answers in the request's heap. */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "memcached.h"

bool memc_key_is_good(memc_object *self, const zend_string *key)
{
	const memc_link *link = self->link;
	size_t len = ZSTR_LEN(key) + (link->prefix ? ZSTR_LEN(link->prefix) : 0);
	bool good = ZSTR_LEN(key) > 0 && len <= MEMC_KEY_MAX;
	if (good && link->behaviors[MEMC_BINARY_PROTOCOL]) {
		good = !memchr(ZSTR_VAL(key), '\n', ZSTR_LEN(key));
	} else if (good) {
		const unsigned char top = link->behaviors[MEMC_VERIFY_KEY] ? 0x7e : 0xff;
		for (const unsigned char *at = (const unsigned char *) ZSTR_VAL(key), *end = at + ZSTR_LEN(key); at < end; at++) {
			if (*at <= ' ' || *at == 0x7f || *at > top) {
				good = false;
				break;
			}
		}
	}
	if (!good) {
		memc_result(self, MEMC_BAD_KEY_PROVIDED);
	}
	return good;
}

zend_string *memc_full_key(const memc_link *link, zend_string *key)
{
	if (EXPECTED(!link->prefix)) {
		return zend_string_copy(key);
	}
	return zend_string_concat2(ZSTR_VAL(link->prefix), ZSTR_LEN(link->prefix), ZSTR_VAL(key), ZSTR_LEN(key));
}

static void copy_answer(const memc_link *link, const leveret_answer *answer, memc_copy *copy)
{
	size_t skip = link->prefix && answer->key.len >= ZSTR_LEN(link->prefix) ? ZSTR_LEN(link->prefix) : 0;
	*copy = (memc_copy) {
		.request = answer->request, .code = answer->code, .meta = answer->meta, .cas = answer->cas, .number = answer->number, .server = answer->server,
		.key = zend_string_init((const char *) answer->key.data + skip, answer->key.len - skip, 0),
		.data = zend_string_init((const char *) answer->value.data, answer->value.len, 0)
	};
}

void memc_copy_free(memc_copy *copy)
{
	if (copy->key) {
		zend_string_release(copy->key);
	}
	if (copy->data) {
		zend_string_release(copy->data);
	}
	copy->key = copy->data = NULL;
}

bool memc_call(memc_object *self, leveret_request *request, memc_copy *copy)
{
	leveret_pool *pool = self->link->pool;
	leveret_answer answer;
	self->is_fetching = false;
	leveret_pool_begin(pool);
	int code = leveret_pool_add(pool, request);
	if (code != MEMC_SUCCESS) {
		memc_failure(self, code);
		return false;
	}
	code = leveret_pool_run(pool);
	if (!leveret_pool_next(pool, &answer)) {
		/* Nothing is answered to what was sent without asking for it. */
		memc_failure(self, code);
		return false;
	}
	memc_result_of(self, &answer);
	if (answer.code != MEMC_SUCCESS) {
		return false;
	}
	copy_answer(self->link, &answer, copy);
	return true;
}

void memc_gather(memc_object *self, memc_copies *copies, uint32_t limit)
{
	leveret_answer answer;
	while (copies->count < limit && leveret_pool_next(self->link->pool, &answer)) {
		if (copies->count == copies->room) {
			copies->room = copies->room ? 2 * copies->room : 16;
			copies->list = safe_erealloc(copies->list, copies->room, sizeof(*copies->list), 0);
		}
		copy_answer(self->link, &answer, &copies->list[copies->count++]);
	}
}

void memc_copies_free(memc_copies *copies)
{
	for (uint32_t i = 0; i < copies->count; i++) {
		memc_copy_free(&copies->list[i]);
	}
	if (copies->list) {
		efree(copies->list);
	}
}
