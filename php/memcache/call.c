/* memcache/call.c: one request or a batch of them, from the key that a script gives to the answers in the request's
 * heap. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "memcache.h"

static bool is_odd(unsigned char byte)
{
	return byte <= ' ';
}

zend_string *php_leveret_mmc_key(const mmc_link *link, zend_string *key)
{
	if (ZSTR_LEN(key) == 0) {
		php_error_docref(NULL, E_WARNING, "Invalid key");
		return NULL;
	}
	size_t odd = 0;
	while (odd < ZSTR_LEN(key) && !is_odd((unsigned char) ZSTR_VAL(key)[odd])) {
		odd++;
	}
	if (EXPECTED(odd == ZSTR_LEN(key) && odd <= MMC_KEY_MAX && !link->prefix)) {
		return zend_string_copy(key);
	}
	size_t prefix = link->prefix ? ZSTR_LEN(link->prefix) : 0;
	zend_string *whole = zend_string_alloc(prefix + ZSTR_LEN(key), 0);
	if (prefix) {
		memcpy(ZSTR_VAL(whole), ZSTR_VAL(link->prefix), prefix);
	}
	memcpy(ZSTR_VAL(whole) + prefix, ZSTR_VAL(key), ZSTR_LEN(key));
	ZSTR_LEN(whole) = MIN(ZSTR_LEN(whole), MMC_KEY_MAX);
	ZSTR_VAL(whole)[ZSTR_LEN(whole)] = '\0';
	for (size_t i = 0; i < ZSTR_LEN(whole); i++) {
		if (is_odd((unsigned char) ZSTR_VAL(whole)[i])) {
			ZSTR_VAL(whole)[i] = '_';
		}
	}
	return whole;
}

leveret_pool *php_leveret_mmc_begin(mmc_link *link)
{
	leveret_pool *pool = php_leveret_mmc_pool_of(link);
	leveret_pool_begin(pool);
	return pool;
}

static void mmc_copy_answer(const leveret_answer *answer, client_copy *copy)
{
	client_copy_fitting(answer, copy);
	copy->key = zend_string_init((const char *) answer->key.data, answer->key.len, 0);
}

int32_t php_leveret_mmc_call(mmc_link *link, const leveret_request *request, client_copy *copy, mmc_failures *failures)
{
	leveret_pool *pool = php_leveret_mmc_begin(link);
	leveret_answer answer;
	int32_t code = leveret_pool_add(pool, request);
	if (code == LEVERET_CODE_SUCCESS) {
		code = leveret_pool_run(pool);
		if (leveret_pool_next(pool, &answer)) {
			code = answer.code;
			if (code == LEVERET_CODE_SUCCESS) {
				mmc_copy_answer(&answer, copy);
			} else {
				php_leveret_mmc_failures_answer(link, &answer, failures);
			}
		}
	}
	php_leveret_mmc_failures_gather(link, failures);
	return code;
}

void php_leveret_mmc_run(mmc_link *link, client_copies *copies, mmc_failures *failures)
{
	leveret_pool *pool = link->pool->pool;
	leveret_answer answer;
	leveret_pool_run(pool);
	while (leveret_pool_next(pool, &answer)) {
		php_leveret_mmc_failures_answer(link, &answer, failures);
		mmc_copy_answer(&answer, php_leveret_client_copies_next(copies));
	}
	php_leveret_mmc_failures_gather(link, failures);
}
