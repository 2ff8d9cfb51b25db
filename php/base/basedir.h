/* base/basedir.h: PHP's open_basedir for arenas: a script that may open only some files may use only arenas that lie
 * there, or in the folder that the administrator has chosen. */
#ifndef PHP_LEVERET_BASE_BASEDIR_H
#define PHP_LEVERET_BASE_BASEDIR_H

#include "php.h"
#include "leveret.h"

/* A host that is no arena is not restricted. */
bool php_leveret_basedir_keeps_from(leveret_bytes name, bool is_host, bool warns);

static zend_always_inline bool php_leveret_has_basedir(void)
{
	return UNEXPECTED(PG(open_basedir) && *PG(open_basedir));
}

/* Whether a script may use the server that it names. False: PHP has warned, which may have run user code (a handler of
 * errors). */
static zend_always_inline bool php_leveret_may_add(leveret_bytes host)
{
	return !php_leveret_has_basedir() || !php_leveret_basedir_keeps_from(host, true, true);
}

/* The same without a word: a handler of errors may free the path of a session's servers while it is read. */
static zend_always_inline bool php_leveret_may_add_quietly(leveret_bytes host)
{
	return !php_leveret_has_basedir() || !php_leveret_basedir_keeps_from(host, true, false);
}

/* Whether a script may use the arena that it names, in one of the ways that php_leveret_arena knows. */
static zend_always_inline bool php_leveret_may_open(leveret_bytes name)
{
	return !php_leveret_has_basedir() || !php_leveret_basedir_keeps_from(name, false, false);
}

/* Whether a directive has another value than the administrator has given it: it is a script's, a .user.ini's or a web
 * server's. */
bool php_leveret_directive_is_changed(const char *name);

/* What things that outlive the request are known by, beside their own names: other sites may open other files. */
static zend_always_inline const char *php_leveret_basedir(void)
{
	return PG(open_basedir) ? PG(open_basedir) : "";
}

#endif
