/* codec/plain.h: a quick reader of PHP's serialization format. */
#ifndef PHP_LEVERET_CODEC_PLAIN_H
#define PHP_LEVERET_CODEC_PLAIN_H

#include "php.h"

/* False: *return_value is undefined, as before, and php_var_unserialize is to decide, unless memory is too short for
 * it. */
bool php_leveret_read_plain(const char *data, size_t len, size_t cost_max, zval *return_value, bool *is_short);

#endif
