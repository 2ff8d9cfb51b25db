/* redis/session_path.h: what a path of sessions says of a server. */
#ifndef PHP_LEVERET_REDIS_SESSION_PATH_H
#define PHP_LEVERET_REDIS_SESSION_PATH_H

#include "redis.h"

/* A server of session.save_path. Strings are NULL where the path has none. */
typedef struct redis_place {
	zend_string *host, *prefix, *persistent_id, *user, *password;
	zval stream; /* the array of options of TLS, or undefined */
	zend_long port, weight, database, retry_interval;
	double timeout, read_timeout;
	bool is_persistent;
} redis_place;

/* Reads the servers of a path, which are separated by white space or commas. Their number, 0: `path` names none, or
 * one is wrong, which begins at `*wrong` and has `*wrong_len` bytes. Runs user code: the caller owns no Rust value. */
uint32_t php_leveret_redis_read_path(const char *path, redis_place **places, const char **wrong, size_t *wrong_len);
void php_leveret_redis_free_places(redis_place *places, uint32_t count);

#endif
