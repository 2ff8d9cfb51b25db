/* provide.c: the drop-in modules: which of them leveret.provide names, and where a real one is there, which is used
 * then.
 *
 * PHP enters all extensions of php.ini in its registry before it starts the first, so a real one is seen in whatever
 * order they are loaded.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "provide.h"
#include "apcu/module.h"
#include "base/globals.h"
#include "memcache/module.h"
#include "memcached/module.h"
#include "redis/module.h"

#include "ext/standard/info.h"
#include "php_ini.h"

static const struct drop_in {
	const char *name;
	zend_result (*startup)(void);
} drop_ins[] = {
	{ "apcu", php_leveret_apcu_startup },
	{ "memcached", php_leveret_memcached_startup },
	{ "memcache", php_leveret_memcache_startup },
	{ "redis", php_leveret_redis_startup },
};

#define DROP_INS (sizeof(drop_ins) / sizeof(*drop_ins))

/* Set before the first request, and the same for all threads. */
static bool is_provided[DROP_INS];

static bool provide_is_word(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(word, name, len) == 0;
}

bool php_leveret_is_list_of_drop_ins(const char *list)
{
	for (const char *at = list; *(at += strspn(at, ", \t")); at += strcspn(at, ", \t")) {
		bool known = false;
		for (size_t i = 0; i < DROP_INS; i++) {
			known |= provide_is_word(at, strcspn(at, ", \t"), drop_ins[i].name);
		}
		if (!known) {
			return false;
		}
	}
	return true;
}

static bool is_named(const char *name)
{
	for (const char *at = LEVERET_G(provide); *(at += strspn(at, ", \t")); at += strcspn(at, ", \t")) {
		if (provide_is_word(at, strcspn(at, ", \t"), name)) {
			return true;
		}
	}
	return false;
}

static zend_module_entry *loaded(const char *name)
{
	return zend_hash_str_find_ptr(&module_registry, name, strlen(name));
}

zend_result php_leveret_provide(void)
{
	/* A default is not a request for a module: the user may well have the real one. */
	bool asked = cfg_get_entry("leveret.provide", strlen("leveret.provide")) != NULL;
	for (size_t i = 0; i < DROP_INS; i++) {
		const char *name = drop_ins[i].name;
		if (!is_named(name)) {
			continue;
		}
		if (!loaded(name)) {
			if (drop_ins[i].startup() == FAILURE) {
				return FAILURE;
			}
			is_provided[i] = true;
		} else if (asked) {
			zend_error(E_NOTICE,
				"leveret: the real extension %s is loaded and is used; unload it, or take %s out of leveret.provide",
				name, name);
		}
	}
	return SUCCESS;
}

void php_leveret_provide_info(void)
{
	for (size_t i = 0; i < DROP_INS; i++) {
		const zend_module_entry *module = loaded(drop_ins[i].name);
		char row[32], text[128];
		snprintf(row, sizeof(row), "Module %s", drop_ins[i].name);
		if (is_provided[i]) {
			snprintf(text, sizeof(text), "provided, as version %s", module->version);
		} else if (module && is_named(drop_ins[i].name)) {
			snprintf(text, sizeof(text), "the real extension is loaded and is used: version %s", module->version);
		} else {
			snprintf(text, sizeof(text), "not provided: leveret.provide does not name it%s",
				module ? ", and the real extension is loaded" : "");
		}
		php_info_print_table_row(2, row, text);
	}
}
