/* redis/builders.h: the builders of redis/table.c's rows: what the letters of redis/arguments.c cannot say. */
#ifndef PHP_LEVERET_REDIS_BUILDERS_H
#define PHP_LEVERET_REDIS_BUILDERS_H

#include "redis.h"

/* zend_parse_parameters() of a builder's method. */
#define REDIS_PARSE(...) \
	if (zend_parse_parameters(ZEND_NUM_ARGS(), __VA_ARGS__) == FAILURE) { \
		return false; \
	}

/* Always false: the method sends nothing. */
static inline bool redis_warn(const char *text)
{
	php_error_docref(NULL, E_WARNING, "%s", text);
	return false;
}

static inline bool redis_refuse_word(const char *what, const zend_string *word)
{
	php_error_docref(NULL, E_WARNING, "Unknown %s '%s'", what, ZSTR_VAL(word));
	return false;
}

#define REDIS_BUILDER(name) bool php_leveret_redis_build_##name(INTERNAL_FUNCTION_PARAMETERS, redis_call *call)

REDIS_BUILDER(acl);
REDIS_BUILDER(bitcount);
REDIS_BUILDER(bitop);
REDIS_BUILDER(bitpos);
REDIS_BUILDER(brpoplpush);
REDIS_BUILDER(client);
REDIS_BUILDER(command);
REDIS_BUILDER(config);
REDIS_BUILDER(copy);
REDIS_BUILDER(count);
REDIS_BUILDER(eval);
REDIS_BUILDER(expire);
REDIS_BUILDER(failover);
REDIS_BUILDER(fcall);
REDIS_BUILDER(flush);
REDIS_BUILDER(function);
REDIS_BUILDER(geoadd);
REDIS_BUILDER(georadius);
REDIS_BUILDER(georadiusbymember);
REDIS_BUILDER(geosearch);
REDIS_BUILDER(geosearchstore);
REDIS_BUILDER(getex);
REDIS_BUILDER(hmget);
REDIS_BUILDER(hrandfield);
REDIS_BUILDER(hset);
REDIS_BUILDER(intercard);
REDIS_BUILDER(lcs);
REDIS_BUILDER(lex);
REDIS_BUILDER(lex_range);
REDIS_BUILDER(linsert);
REDIS_BUILDER(lmove);
REDIS_BUILDER(lpos);
REDIS_BUILDER(lrem);
REDIS_BUILDER(migrate);
REDIS_BUILDER(mpop);
REDIS_BUILDER(object);
REDIS_BUILDER(pfcount);
REDIS_BUILDER(pop);
REDIS_BUILDER(pubsub);
REDIS_BUILDER(replicaof);
REDIS_BUILDER(restore);
REDIS_BUILDER(script);
REDIS_BUILDER(select);
REDIS_BUILDER(set);
REDIS_BUILDER(setbit);
REDIS_BUILDER(slowlog);
REDIS_BUILDER(sort);
REDIS_BUILDER(sort_by_name);
REDIS_BUILDER(spop);
REDIS_BUILDER(srandmember);
REDIS_BUILDER(waitaof);
REDIS_BUILDER(xadd);
REDIS_BUILDER(xautoclaim);
REDIS_BUILDER(xclaim);
REDIS_BUILDER(xgroup);
REDIS_BUILDER(xinfo);
REDIS_BUILDER(xpending);
REDIS_BUILDER(xrange);
REDIS_BUILDER(xread);
REDIS_BUILDER(xreadgroup);
REDIS_BUILDER(xtrim);
REDIS_BUILDER(zadd);
REDIS_BUILDER(zpop);
REDIS_BUILDER(zrandmember);
REDIS_BUILDER(zrange);
REDIS_BUILDER(zunion);
REDIS_BUILDER(zunionstore);

#endif
