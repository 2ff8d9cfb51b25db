/* codec/msgpack_check.h: a walk over msgpack's data before msgpack reads it. */
#ifndef PHP_LEVERET_CODEC_MSGPACK_CHECK_H
#define PHP_LEVERET_CODEC_MSGPACK_CHECK_H

#include "php.h"

/* Whether the bytes are one value, whole, that costs no more than that (cost.h). Not `with_objects`: of null, bool,
 * int, float, string and array only. */
bool php_leveret_msgpack_check(const char *data, size_t len, bool with_objects, size_t cost_max);

#endif
