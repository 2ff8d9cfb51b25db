/* memcached/link.c: the state behind an object: its pool of servers and its options, and those of persistent ids. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "base/basedir.h"
#include "codec/serializer.h"
#include "memcached.h"
#include "module.h"

/* libmemcached's numbers of its behaviours; Memcached::OPT_* are the same. */
enum {
	NO_BLOCK = 0,
	TCP_NODELAY = 1,
	HASH = 2,
	SEND_SIZE = 4,
	RECV_SIZE = 5,
	CACHE_LOOKUPS = 6,
	POLL_TIMEOUT = 8,
	DISTRIBUTION = 9,
	BUFFER_WRITES = 10,
	SORT_HOSTS = 12,
	CONNECT_TIMEOUT = 14,
	RETRY_TIMEOUT = 15,
	KETAMA_WEIGHTED = 16,
	KETAMA_HASH = 17,
	SEND_TIMEOUT = 19,
	RECV_TIMEOUT = 20,
	FAILURE_LIMIT = 21,
	HASH_WITH_PREFIX = 25,
	USE_UDP = 27,
	AUTO_EJECT = 28,
	REPLICAS = 29,
	RANDOM_REPLICA = 30,
	KEEPALIVE = 32,
	REMOVE_FAILED = 35,
	DEAD_TIMEOUT = 36,
	TIMEOUT_LIMIT = 37
};

/* Another function sees to it (the ring, the protocol), or there is nothing to see to: no server is waited for while
 * another could go on, TCP_NODELAY is always set, and some have no effect in the original either: the hash of ketama's
 * points, and the time-outs of sending and receiving, which it gives to sockets on which it never waits. */
#define NO_POOL_OPTION -1

/* Which behaviours there are, their defaults, and what of the pool they set. Those that reconnect do so in libmemcached
 * too: all connections are closed, and servers that failed are tried again at once. */
static const struct behavior {
	bool is_known, is_flag;
	zend_long initial;
	int option;
	bool reconnects;
} behaviors[MEMC_BEHAVIORS] = {
	[NO_BLOCK] = { true, true, 0, NO_POOL_OPTION, true },
	[TCP_NODELAY] = { true, true, 0, NO_POOL_OPTION, true },
	[HASH] = { true, false, 0, LEVERET_POOL_HASH },
	[SEND_SIZE] = { true, false, 0, LEVERET_POOL_SEND_SIZE, true },
	[RECV_SIZE] = { true, false, 0, LEVERET_POOL_RECV_SIZE, true },
	[CACHE_LOOKUPS] = { true, true, 1, NO_POOL_OPTION },
	[POLL_TIMEOUT] = { true, false, 5000, LEVERET_POOL_POLL_TIMEOUT_MS },
	[DISTRIBUTION] = { true, false, 0, NO_POOL_OPTION },
	[BUFFER_WRITES] = { true, true, 0, LEVERET_POOL_BUFFER_WRITES, true },
	[SORT_HOSTS] = { true, true, 0, LEVERET_POOL_SORT_HOSTS },
	[MEMC_VERIFY_KEY] = { true, true, 0, LEVERET_POOL_VERIFY_KEY },
	[CONNECT_TIMEOUT] = { true, false, 4000, LEVERET_POOL_CONNECT_TIMEOUT_MS },
	[RETRY_TIMEOUT] = { true, false, 2, LEVERET_POOL_RETRY_TIMEOUT_S },
	[KETAMA_WEIGHTED] = { true, true, 0, NO_POOL_OPTION },
	[KETAMA_HASH] = { true, false, 0, NO_POOL_OPTION },
	[MEMC_BINARY_PROTOCOL] = { true, true, 0, NO_POOL_OPTION, true },
	[SEND_TIMEOUT] = { true, false, 0, NO_POOL_OPTION },
	[RECV_TIMEOUT] = { true, false, 0, NO_POOL_OPTION },
	[FAILURE_LIMIT] = { true, false, 5, LEVERET_POOL_FAILURE_LIMIT },
	[HASH_WITH_PREFIX] = { true, true, 0, LEVERET_POOL_HASH_WITH_PREFIX },
	[MEMC_NOREPLY] = { true, true, 0, LEVERET_POOL_NOREPLY },
	[USE_UDP] = { true, true, 0, LEVERET_POOL_UDP, true },
	[AUTO_EJECT] = { true, true, 0, LEVERET_POOL_AUTO_EJECT },
	[REPLICAS] = { true, false, 0, LEVERET_POOL_REPLICAS },
	[RANDOM_REPLICA] = { true, true, 0, LEVERET_POOL_RANDOM_REPLICA },
	[KEEPALIVE] = { true, true, 0, LEVERET_POOL_KEEPALIVE, true },
	[REMOVE_FAILED] = { true, true, 0, LEVERET_POOL_REMOVE_FAILED },
	[DEAD_TIMEOUT] = { true, false, 0, LEVERET_POOL_DEAD_TIMEOUT_S },
	[TIMEOUT_LIMIT] = { true, false, 0, LEVERET_POOL_TIMEOUT_LIMIT },
};

/* Two have no constant: KETAMA, which does the same as CONSISTENT, and WEIGHTED, the distribution of
 * OPT_LIBKETAMA_COMPATIBLE. Two more, for servers at random and for another client's old places, are not there. */
enum { MODULA = 0, CONSISTENT = 1, KETAMA = 2, WEIGHTED = 5, VIRTUAL_BUCKET = 6 };
/* Hsieh's hash is not in Debian's libmemcached. The last two, and Jenkins' before them, have no names in PHP. */
enum { HASH_MD5 = 1, HASH_HSIEH = 7, HASH_MURMUR3 = 10, HASH_CUSTOM = 11 };

/* --- links --- */

static zend_long compression_of(const char *name)
{
	return strcmp(name, "zlib") == 0 ? MEMC_COMPRESSION_ZLIB
		: strcmp(name, "zstd") == 0  ? MEMC_COMPRESSION_ZSTD
									 : MEMC_COMPRESSION_FASTLZ;
}

static zend_long serializer_of(const char *name)
{
	static const struct {
		const char *name;
		zend_long serializer;
		leveret_encoding encoding;
	} known[] = {
		{ "igbinary", MEMC_SERIALIZER_IGBINARY, LEVERET_IGBINARY },
		{ "json", MEMC_SERIALIZER_JSON, LEVERET_JSON },
		{ "json_array", MEMC_SERIALIZER_JSON_ARRAY, LEVERET_JSON },
		{ "msgpack", MEMC_SERIALIZER_MSGPACK, LEVERET_MSGPACK },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(name, known[i].name) == 0) {
			return known[i].encoding == LEVERET_JSON || php_leveret_has_serializer(known[i].encoding)
				? known[i].serializer
				: MEMC_SERIALIZER_PHP;
		}
	}
	if (*name == '\0' && php_leveret_has_serializer(LEVERET_IGBINARY)) {
		return MEMC_SERIALIZER_IGBINARY;
	}
	return MEMC_SERIALIZER_PHP;
}

static void set_behavior(memc_link *link, zend_long number, zend_long value)
{
	link->behaviors[number] = value;
	if (behaviors[number].option != NO_POOL_OPTION) {
		leveret_pool_set_option(link->pool, behaviors[number].option, value);
	}
}

/* What libmemcached makes of a number for this behavior; false: it refuses it, with `code`. */
static bool memc_take(const memc_link *link, zend_long option, zend_long *value, zend_long *code)
{
	*code = MEMC_INVALID_ARGUMENTS;
	if (option < 0 || option >= MEMC_BEHAVIORS || !behaviors[option].is_known) {
		return false;
	}
	if (option == MEMC_VERIFY_KEY && link->behaviors[MEMC_BINARY_PROTOCOL]) {
		return *value == 0;
	}
	if (option == CACHE_LOOKUPS) {
		*code = MEMC_DEPRECATED;
		return *value == 1;
	}
	if (behaviors[option].is_flag) {
		*value = *value != 0;
		return true;
	}
	switch (option) {
		case HASH:
		case KETAMA_HASH:
			if (*value < 0 || *value > HASH_CUSTOM) {
				/* No number of libmemcached: everything stays as it is, without a complaint. */
				*value = link->behaviors[option];
			}
			return *value != HASH_HSIEH && *value != HASH_CUSTOM && (option == KETAMA_HASH || *value != HASH_MURMUR3);
		case DISTRIBUTION:
			return *value >= MODULA && *value <= VIRTUAL_BUCKET && *value != 3 && *value != 4;
		case FAILURE_LIMIT:
		case REPLICAS:
		case TIMEOUT_LIMIT:
			*value = (uint32_t) *value;
			return option != FAILURE_LIMIT || *value > 0;
		case SEND_SIZE:
		case RECV_SIZE:
			*value = MAX(*value, 0);
			return *value <= INT32_MAX;
		default:
			/* Milliseconds, or other spans, which libmemcached keeps in 32 bits; below zero: no end. */
			*value = MAX((int32_t) *value, -1);
			return true;
	}
}

static void choose_ring(memc_link *link)
{
	zend_long ring = LEVERET_RING_MODULA;
	switch (link->behaviors[DISTRIBUTION]) {
		case CONSISTENT:
		case KETAMA:
			ring = LEVERET_RING_CONSISTENT;
			break;
		case WEIGHTED:
			ring = LEVERET_RING_KETAMA;
			break;
		case VIRTUAL_BUCKET:
			ring = LEVERET_RING_VIRTUAL_BUCKET;
			break;
	}
	leveret_pool_set_option(link->pool, LEVERET_POOL_RING, ring);
}

memc_link *php_leveret_memc_link_new(bool is_persistent)
{
	memc_link *link = pecalloc(1, sizeof(*link), is_persistent);
	link->pool = php_leveret_pool_new();
	link->is_persistent = is_persistent;
	link->compression = true;
	link->compression_type = compression_of(MEMCACHED_G(compression_type));
	link->compression_level = MEMCACHED_G(compression_level);
	link->has_level = link->compression_level != MEMC_LEVEL_DEFAULT;
	link->serializer = serializer_of(MEMCACHED_G(serializer) ? MEMCACHED_G(serializer) : "");
	link->user_flags = -1;
	link->store_retries = MEMCACHED_G(store_retry_count);
	link->item_size_limit = MEMCACHED_G(item_size_limit);
	for (zend_long number = 0; number < MEMC_BEHAVIORS; number++) {
		if (behaviors[number].is_known) {
			set_behavior(link, number, behaviors[number].initial);
		}
	}
	if (MEMCACHED_G(default_connect_timeout)) {
		set_behavior(link, CONNECT_TIMEOUT, MEMCACHED_G(default_connect_timeout));
	}
	if (MEMCACHED_G(default_consistent_hash)) {
		set_behavior(link, DISTRIBUTION, CONSISTENT);
	}
	leveret_pool_set_option(link->pool, LEVERET_POOL_PROTOCOL, LEVERET_PROTOCOL_ANY);
	if (MEMCACHED_G(default_binary_protocol)) {
		set_behavior(link, MEMC_BINARY_PROTOCOL, 1);
		leveret_pool_set_option(link->pool, LEVERET_POOL_PROTOCOL, LEVERET_PROTOCOL_BINARY);
	}
	choose_ring(link);
	return link;
}

zend_string *php_leveret_memc_persistent_name(const char *name, size_t len)
{
	zend_string *site = zend_strpprintf(
		0, "%.*s\n%s\n", (int) php_leveret_dir().len, (const char *) php_leveret_dir().data, php_leveret_basedir());
	zend_string *whole = zend_string_concat2(ZSTR_VAL(site), ZSTR_LEN(site), name, len);
	zend_string_release(site);
	return whole;
}

void php_leveret_memc_link_free(memc_link *link)
{
	leveret_pool_free(link->pool);
	leveret_cipher_free(link->cipher);
	if (link->prefix) {
		zend_string_release(link->prefix);
	}
	pefree(link, link->is_persistent);
}

int php_leveret_memc_link_add_server(memc_link *link, zend_string *host, zend_long port, zend_long weight)
{
	leveret_bytes name =
		ZSTR_LEN(host) ? php_leveret_string(host) : php_leveret_bytes("localhost", strlen("localhost"));
	if (port < 0 || port > 65535 || weight < 0 || weight > INT32_MAX || !php_leveret_may_add(name)) {
		return MEMC_INVALID_ARGUMENTS;
	}
	if (weight > 1 && link->behaviors[DISTRIBUTION] == CONSISTENT) {
		/* libmemcached has but one way to weigh servers. */
		link->behaviors[KETAMA_WEIGHTED] = 1;
	}
	return leveret_pool_add_server(link->pool, name, (uint16_t) port, 0, (uint32_t) weight, php_leveret_dir());
}

void php_leveret_memc_link_set_buckets(memc_link *link, const uint32_t *servers, size_t count)
{
	leveret_pool_set_buckets(link->pool, servers, count);
	link->behaviors[DISTRIBUTION] = VIRTUAL_BUCKET;
	link->behaviors[KETAMA_WEIGHTED] = 0;
}

/* --- options --- */

static bool memc_refuse(memc_object *self, const char *text)
{
	memc_result(self, MEMC_INVALID_ARGUMENTS);
	php_error_docref(NULL, E_WARNING, "%s", text);
	return false;
}

bool php_leveret_memc_link_set_prefix(memc_link *link, zend_string *text)
{
	for (size_t i = 0; i < ZSTR_LEN(text); i++) {
		unsigned char byte = (unsigned char) ZSTR_VAL(text)[i];
		/* A line end in no protocol: the next one that is chosen may be text. */
		if (link->behaviors[MEMC_BINARY_PROTOCOL] ? byte == '\r' || byte == '\n' : byte <= ' ' || byte >= 0x7f) {
			return false;
		}
	}
	if (link->prefix) {
		zend_string_release(link->prefix);
	}
	link->prefix = ZSTR_LEN(text) ? zend_string_init(ZSTR_VAL(text), ZSTR_LEN(text), link->is_persistent) : NULL;
	leveret_pool_set_prefix(link->pool, php_leveret_string(text));
	return true;
}

static bool memc_link_set_prefix(memc_object *self, zval *value)
{
	zend_string *text = zval_get_string(value);
	bool good = false;
	if (EG(exception)) {
		good = true;
	} else if (ZSTR_LEN(text) <= MEMC_PREFIX_MAX) {
		good = php_leveret_memc_link_set_prefix(self->link, text);
	} else if (ZSTR_LEN(text) <= MEMC_KEY_MAX) {
		/* As in the original: that is no failure, and the prefix does not change. */
		self->error_code = MEMC_KEY_TOO_BIG;
		good = true;
	}
	zend_string_release(text);
	if (!good) {
		memc_refuse(self, "bad key provided");
		self->error_code = MEMC_BAD_KEY_PROVIDED;
	}
	return good;
}

static bool set_serializer(memc_object *self, zend_long serializer)
{
	switch (serializer) {
		case MEMC_SERIALIZER_PHP:
		case MEMC_SERIALIZER_JSON:
		case MEMC_SERIALIZER_JSON_ARRAY:
			break;
		case MEMC_SERIALIZER_IGBINARY:
			if (!php_leveret_has_serializer(LEVERET_IGBINARY)) {
				return memc_refuse(self, "igbinary support was not found, load the extension igbinary");
			}
			break;
		case MEMC_SERIALIZER_MSGPACK:
			if (!php_leveret_has_serializer(LEVERET_MSGPACK)) {
				return memc_refuse(self, "msgpack support was not found, load the extension msgpack");
			}
			break;
		default:
			self->link->serializer = MEMC_SERIALIZER_PHP;
			return memc_refuse(self, "invalid serializer provided");
	}
	self->link->serializer = serializer;
	return true;
}

/* What else changes with some of libmemcached's behaviours. */
zend_long php_leveret_memc_link_set(memc_link *link, zend_long option, zend_long value)
{
	zend_long code;
	if (!memc_take(link, option, &value, &code)) {
		return code;
	}
	bool is_same = link->behaviors[option] == value;
	set_behavior(link, option, value);
	/* Applications set these for each request, on connections that are to be kept for the next one. */
	if (behaviors[option].reconnects && !is_same) {
		leveret_pool_quit(link->pool);
	}
	switch (option) {
		case KETAMA_WEIGHTED:
			set_behavior(link, DISTRIBUTION, value ? WEIGHTED : MODULA);
			set_behavior(link, HASH, value ? HASH_MD5 : 0);
			set_behavior(link, KETAMA_HASH, value ? HASH_MD5 : 0);
			choose_ring(link);
			break;
		case DISTRIBUTION:
			/* Setting the present value again changes nothing: neither the hash of the points nor the weights. */
			if (!is_same) {
				link->behaviors[KETAMA_WEIGHTED] = 0;
				choose_ring(link);
			}
			break;
		case MEMC_BINARY_PROTOCOL:
			set_behavior(link, MEMC_VERIFY_KEY, 0);
			leveret_pool_set_option(
				link->pool, LEVERET_POOL_PROTOCOL, value ? LEVERET_PROTOCOL_BINARY : LEVERET_PROTOCOL_TEXT);
			break;
	}
	return MEMC_SUCCESS;
}

/* An option with its present value stays, and so does the last error. Sizes are an exception: the kernel's differ from
 * the requested ones. So is ketama, which implies other options. */
static bool is_so(const memc_link *link, zend_long option, zend_long value)
{
	bool is_compared = option != SEND_SIZE && option != RECV_SIZE && option != KETAMA_WEIGHTED;
	return is_compared && option >= 0 && option < MEMC_BEHAVIORS && behaviors[option].is_known
		&& link->behaviors[option] == value;
}

static bool set_libmemcached(memc_object *self, zend_long option, zend_long value)
{
	memc_link *link = self->link;
	if (is_so(link, option, value)) {
		if (option == MEMC_BINARY_PROTOCOL) {
			/* Now it is a choice. */
			leveret_pool_set_option(
				link->pool, LEVERET_POOL_PROTOCOL, value ? LEVERET_PROTOCOL_BINARY : LEVERET_PROTOCOL_TEXT);
		}
		return true;
	}
	zend_long code = option == USE_UDP && value && leveret_pool_servers(link->pool)
		? MEMC_INVALID_ARGUMENTS
		: php_leveret_memc_link_set(link, option, value);
	if (code != MEMC_SUCCESS) {
		php_leveret_memc_failure(self, code);
		php_error_docref(NULL, E_WARNING, "error setting memcached option: %s", php_leveret_memc_text(code));
		return false;
	}
	memc_result(self, MEMC_SUCCESS);
	return true;
}

static bool set_option(memc_object *self, zend_long option, zval *value)
{
	memc_link *link = self->link;
	zend_long number = option == MEMC_OPT_PREFIX_KEY ? 0 : zval_get_long(value);
	switch (option) {
		case MEMC_OPT_COMPRESSION:
			link->compression = number != 0;
			return true;
		case MEMC_OPT_COMPRESSION_TYPE:
			if (number != MEMC_COMPRESSION_FASTLZ && number != MEMC_COMPRESSION_ZLIB
				&& !(number == MEMC_COMPRESSION_ZSTD && leveret_has_codec(LEVERET_CODEC_ZSTD))) {
				memc_result(self, MEMC_INVALID_ARGUMENTS);
				return false;
			}
			link->compression_type = number;
			return true;
		case MEMC_OPT_COMPRESSION_LEVEL:
			link->compression_level = number;
			link->has_level = true;
			return true;
		case MEMC_OPT_PREFIX_KEY:
			return memc_link_set_prefix(self, value);
		case MEMC_OPT_SERIALIZER:
			return set_serializer(self, number);
		case MEMC_OPT_USER_FLAGS:
			if (number > 65535) {
				php_error_docref(NULL, E_WARNING, "MEMC_OPT_USER_FLAGS must be < 65535");
				return false;
			}
			link->user_flags = number < 0 ? -1 : number;
			return true;
		case MEMC_OPT_STORE_RETRY_COUNT:
			link->store_retries = number;
			return true;
		case MEMC_OPT_ITEM_SIZE_LIMIT:
			if (number < 0) {
				return memc_refuse(self, "ITEM_SIZE_LIMIT must be >= 0");
			}
			link->item_size_limit = number;
			return true;
		default:
			return set_libmemcached(self, option, number);
	}
}

PHP_METHOD(Memcached, setOption)
{
	zend_long option;
	zval *value;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_LONG(option)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	RETURN_BOOL(set_option(self, option, value));
}

PHP_METHOD(Memcached, setOptions)
{
	zval *options, *value;
	zend_ulong number;
	zend_string *name;
	bool good = true;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY(options)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(options), number, name, value) {
		if (name) {
			php_error_docref(NULL, E_WARNING, "invalid configuration option");
			good = false;
		} else {
			ZVAL_DEREF(value);
			good = set_option(self, (zend_long) number, value) && good;
		}
	}
	ZEND_HASH_FOREACH_END();
	RETURN_BOOL(good);
}

PHP_METHOD(Memcached, setSaslAuthData)
{
	zend_string *user, *password;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR(user)
		Z_PARAM_STR(password)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	if (!self->link->behaviors[MEMC_BINARY_PROTOCOL]) {
		php_error_docref(NULL, E_WARNING, "SASL is only supported with binary protocol");
		RETURN_FALSE;
	}
	zend_long code =
		leveret_pool_set_credentials(self->link->pool, -1, php_leveret_string(user), php_leveret_string(password), 0);
	memc_result(self, code);
	RETURN_BOOL(code == MEMC_SUCCESS);
}

PHP_METHOD(Memcached, setEncodingKey)
{
	zend_string *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	leveret_cipher_free(self->link->cipher);
	self->link->cipher = leveret_cipher_new(php_leveret_string(key));
	memc_result(self, MEMC_SUCCESS);
	RETURN_TRUE;
}

PHP_METHOD(Memcached, getOption)
{
	zend_long option;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_LONG(option)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	switch (option) {
		case MEMC_OPT_COMPRESSION:
			RETURN_BOOL(link->compression);
		case MEMC_OPT_COMPRESSION_TYPE:
			RETURN_LONG(link->compression_type);
		case MEMC_OPT_COMPRESSION_LEVEL:
			RETURN_LONG(link->compression_level);
		case MEMC_OPT_SERIALIZER:
			RETURN_LONG(link->serializer);
		case MEMC_OPT_USER_FLAGS:
			RETURN_LONG(link->user_flags);
		case MEMC_OPT_STORE_RETRY_COUNT:
			RETURN_LONG(link->store_retries);
		case MEMC_OPT_ITEM_SIZE_LIMIT:
			RETURN_LONG(link->item_size_limit);
		case MEMC_OPT_PREFIX_KEY:
			if (!link->prefix) {
				RETURN_EMPTY_STRING();
			}
			RETURN_STRINGL(ZSTR_VAL(link->prefix), ZSTR_LEN(link->prefix));
	}
	if ((option == SEND_SIZE || option == RECV_SIZE) && !leveret_pool_servers(link->pool)) {
		php_error_docref(NULL, E_WARNING, "no servers defined");
		RETURN_NULL();
	}
	if (option >= 0 && option < MEMC_BEHAVIORS && behaviors[option].is_known) {
		RETURN_LONG(link->behaviors[option]);
	}
	RETURN_LONG(0);
}
