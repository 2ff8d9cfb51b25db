/* memcache/prefix.c: what the directives memcache.prefix_* and session_prefix_* put before all keys. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/ini.h"
#include "memcache.h"
#include "module.h"

/* The site's name, shortened: "www.a.example.com" without "www.", or without all but the last two words. */
static zend_string *host_of_site(bool without_www, bool without_subdomain)
{
	zend_is_auto_global(ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER));
	zval *server = zend_hash_find_deref(&EG(symbol_table), ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER));
	zval *name = server && Z_TYPE_P(server) == IS_ARRAY
		? zend_hash_str_find_deref(Z_ARRVAL_P(server), "SERVER_NAME", strlen("SERVER_NAME"))
		: NULL;
	if (!name || Z_TYPE_P(name) != IS_STRING) {
		return NULL;
	}
	const char *begin = Z_STRVAL_P(name), *end = begin + Z_STRLEN_P(name);
	if (without_www && Z_STRLEN_P(name) >= 4 && php_leveret_is_word(begin, 4, "www.")) {
		begin += 4;
	}
	if (without_subdomain) {
		uint32_t dots = 0;
		for (const char *at = end; at > begin; at--) {
			if (at[-1] == '.' && ++dots == 2) {
				begin = at;
				break;
			}
		}
	}
	return zend_string_init(begin, (size_t) (end - begin), 0);
}

static zend_string *prefix_of(bool of_sessions)
{
	const char *fixed = of_sessions ? MEMCACHE_G(session_prefix_static_key) : MEMCACHE_G(prefix_static_key);
	bool with_host = of_sessions ? MEMCACHE_G(session_prefix_host_key) : MEMCACHE_G(prefix_host_key);
	bool without_www =
		of_sessions ? MEMCACHE_G(session_prefix_host_key_remove_www) : MEMCACHE_G(prefix_host_key_remove_www);
	bool without_subdomain = of_sessions ? MEMCACHE_G(session_prefix_host_key_remove_subdomain)
										 : MEMCACHE_G(prefix_host_key_remove_subdomain);
	if (!with_host && !(fixed && *fixed)) {
		return NULL;
	}
	zend_string *host = with_host ? host_of_site(without_www, without_subdomain) : NULL;
	zend_string *prefix = zend_strpprintf(0, "%s%s", fixed ? fixed : "", host ? ZSTR_VAL(host) : "");
	if (host) {
		zend_string_release(host);
	}
	if (ZSTR_LEN(prefix) == 0) {
		zend_string_release(prefix);
		return NULL;
	}
	return prefix;
}

/* As with the original, a script sets the sessions' prefix too late for its own session. */
void php_leveret_mmc_prefix_begin(void)
{
	MEMCACHE_G(session_prefix) = prefix_of(true);
}

void php_leveret_mmc_prefix_end(void)
{
	if (MEMCACHE_G(session_prefix)) {
		zend_string_release(MEMCACHE_G(session_prefix));
		MEMCACHE_G(session_prefix) = NULL;
	}
}

zend_string *php_leveret_mmc_prefix(bool of_sessions)
{
	if (!of_sessions) {
		return prefix_of(false);
	}
	return MEMCACHE_G(session_prefix) ? zend_string_copy(MEMCACHE_G(session_prefix)) : NULL;
}
