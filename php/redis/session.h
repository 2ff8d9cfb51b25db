/* redis/session.h: the session handler "redis". */
#ifndef PHP_LEVERET_REDIS_SESSION_H
#define PHP_LEVERET_REDIS_SESSION_H

void php_leveret_redis_session(void);

#endif
