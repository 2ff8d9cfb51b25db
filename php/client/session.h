/* client/session.h: what the session handlers share. */
#ifndef PHP_LEVERET_CLIENT_SESSION_H
#define PHP_LEVERET_CLIENT_SESSION_H

#include "php.h"

/* What a session handler's open function is given as the path. */
#if PHP_VERSION_ID >= 80600
# define PHP_LEVERET_SAVE_PATH ZSTR_VAL(save_path)
#else
# define PHP_LEVERET_SAVE_PATH save_path
#endif

#endif
