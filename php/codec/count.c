/* codec/count.c: counting by APCu's rules, which know integers only.
 *
 * An integer that came over a socket, or to which a class has joined digits, lies in the arena as text, but is an integer to all that
 * read it. So it is first made one that counts in place; its flags stay, and whoever stored it still reads it as before.
 */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "count.h"
#include "base/bytes.h"

/* PHP_INT_MIN has 20 characters, and memcached pads a number that became shorter. */
#define TEXT_LEN_MAX 31
/* Others may store under the same key all the time. */
#define TRIES_MAX 64

/* True: it is a number now, or somebody has stored something else meanwhile; so counting is worth another try. */
static bool make_integer(leveret_arena *arena, leveret_bytes key, uint32_t now)
{
	leveret_found found;
	leveret_form form;
	char text[TEXT_LEN_MAX + 1];
	zend_long integer;
	double unused;
	if (leveret_peek_cas(arena, key, now, &found) != LEVERET_OK || found.meta.encoding == LEVERET_INTEGER || found.value_len > TEXT_LEN_MAX
		|| found.meta.origin == LEVERET_NATIVE) {
		return false;
	}
	if (leveret_copy(arena, &found, text) != LEVERET_OK) {
		return true;
	}
	text[found.value_len] = '\0';
	if (leveret_translate(&found.meta, LEVERET_NATIVE, php_leveret_bytes(text, found.value_len), &form) != 0 || form.encoding != LEVERET_INTEGER
		|| form.codec != LEVERET_CODEC_NONE || is_numeric_string(text, found.value_len, &integer, &unused, false) != IS_LONG) {
		return false;
	}
	int64_t number = integer;
	found.meta.encoding = LEVERET_INTEGER;
	leveret_status status = leveret_store(arena, key, php_leveret_bytes(&number, sizeof(number)), &found.meta, found.deadline, LEVERET_CAS, found.cas, now, NULL);
	return status == LEVERET_OK || status == LEVERET_EXISTS;
}

leveret_status php_leveret_add_integer_text(leveret_arena *arena, leveret_bytes key, int64_t step, uint32_t deadline, uint32_t now, int64_t *result)
{
	leveret_status status = LEVERET_NOT_NUMBER;
	for (int tries = 0; status == LEVERET_NOT_NUMBER && tries < TRIES_MAX && make_integer(arena, key, now); tries++) {
		status = leveret_add_integer(arena, key, step, true, deadline, now, result);
	}
	return status;
}

leveret_status php_leveret_cas_integer_text(leveret_arena *arena, leveret_bytes key, int64_t old_value, int64_t new_value, uint32_t now)
{
	leveret_status status = LEVERET_EXISTS;
	for (int tries = 0; status == LEVERET_EXISTS && tries < TRIES_MAX && make_integer(arena, key, now); tries++) {
		status = leveret_cas_integer(arena, key, old_value, new_value, now);
	}
	return status;
}
