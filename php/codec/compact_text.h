/* codec/compact_text.h: the compact form as serialize() would have written it. */
#ifndef PHP_LEVERET_CODEC_COMPACT_TEXT_H
#define PHP_LEVERET_CODEC_COMPACT_TEXT_H

#include "php.h"

/* Runs no user code. NULL: the data is damaged. */
zend_string *php_leveret_compact_text(const char *data, size_t len);

#endif
