/* memcached/words.c: libmemcached's configuration string, the third argument of the constructor.
 *
 *   --SERVER=host:port/?weight --SOCKET="path"/?weight --NAMESPACE="prefix" --HASH=MD5 --DISTRIBUTION=consistent,MD5
 *   --BINARY-PROTOCOL --CONNECT-TIMEOUT=100 …          flags and numbers, each for a behaviour
 *   RESET END                                          forget the servers so far; what follows is not read
 *
 * As with libmemcached they may be written in any case. Where it is strict beyond sense (one space between two words,
 * no name of one or two letters, the path of a socket in quotes) we are not; where it ends the script, the constructor
 * throws. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "memcached.h"

/* Numbers of behaviours, as in Memcached::OPT_*. */
enum { HASH = 2, DISTRIBUTION = 9, KETAMA_HASH = 17 };

/* The text after a word's '='. */
typedef struct text {
	const char *at;
	size_t len;
	bool is_quoted;
	bool is_given;    /* there is a '=' */
	zend_long weight; /* behind "/?" */
} text;

static bool is(const char *name, const char *at, size_t len)
{
	return php_leveret_is_word(at, len, name);
}

/* Digits only, as many as a behaviour can hold. */
static bool memc_take_number(const char *at, size_t len, zend_long *number)
{
	*number = 0;
	for (size_t i = 0; i < len; i++) {
		if (at[i] < '0' || at[i] > '9') {
			return false;
		}
		*number = *number * 10 + (at[i] - '0');
		if (*number > UINT32_MAX) {
			return false;
		}
	}
	return len > 0;
}

static bool take_hash(memc_link *link, zend_long option, const char *at, size_t len)
{
	static const struct {
		const char *name;
		zend_long number;
	} hashes[] = {
		{ "MD5", 1 },
		{ "CRC", 2 },
		{ "FNV1_64", 3 },
		{ "FNV1A_64", 4 },
		{ "FNV1_32", 5 },
		{ "FNV1A_32", 6 },
		{ "MURMUR", 8 },
		{ "JENKINS", 9 },
	};
	for (size_t i = 0; i < sizeof(hashes) / sizeof(*hashes); i++) {
		if (is(hashes[i].name, at, len)) {
			return php_leveret_memc_link_set(link, option, hashes[i].number) == MEMC_SUCCESS;
		}
	}
	return false;
}

static bool take_distribution(memc_link *link, const text *value)
{
	const char *comma = memchr(value->at, ',', value->len);
	size_t len = comma ? (size_t) (comma - value->at) : value->len;
	zend_long number = is("consistent", value->at, len) ? 1 : is("modula", value->at, len) ? 0 : -1;
	return php_leveret_memc_link_set(link, DISTRIBUTION, number) == MEMC_SUCCESS
		&& (!comma || take_hash(link, KETAMA_HASH, comma + 1, value->len - len - 1));
}

/* A name, or an address with points: what belongs to another word is no part of it. */
static bool is_host(const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char) at[i]) && !strchr(".-_", at[i])) {
			return false;
		}
	}
	return len > 0;
}

static bool take_server(memc_link *link, const text *value, bool is_socket)
{
	/* A path, and an arena's name, has no port. */
	bool is_place = is_socket || *value->at == '/'
		|| (value->len > strlen("arena:") && strncmp(value->at, "arena:", strlen("arena:")) == 0);
	const char *colon = is_place ? NULL : memchr(value->at, ':', value->len);
	size_t len = colon ? (size_t) (colon - value->at) : value->len;
	zend_long port = is_place ? 0 : MEMC_PORT;
	if ((!is_place && !is_host(value->at, len))
		|| (colon && !memc_take_number(colon + 1, value->len - len - 1, &port))) {
		return false;
	}
	zend_string *host = zend_string_init(value->at, len, 0);
	int code = php_leveret_memc_link_add_server(link, host, port || is_place ? port : MEMC_PORT, value->weight);
	zend_string_release(host);
	return code == MEMC_SUCCESS;
}

static bool take_prefix(memc_link *link, const text *value)
{
	if (value->len == 0 || value->len > MEMC_PREFIX_MAX) {
		return false;
	}
	zend_string *prefix = zend_string_init(value->at, value->len, 0);
	bool taken = php_leveret_memc_link_set_prefix(link, prefix);
	zend_string_release(prefix);
	return taken;
}

/* Words for one behaviour each; NOTHING: it changes nothing here. */
#define NOTHING -1
static const struct {
	const char *name;
	bool has_number;
	zend_long option;
} behaviors[] = {
	{ "BINARY-PROTOCOL", false, MEMC_BINARY_PROTOCOL },
	{ "BUFFER-REQUESTS", false, 10 },
	{ "HASH-WITH-NAMESPACE", false, 25 },
	{ "NOREPLY", false, MEMC_NOREPLY },
	{ "RANDOMIZE-REPLICA-READ", false, 30 },
	{ "SORT-HOSTS", false, 12 },
	{ "TCP-KEEPALIVE", false, 32 },
	{ "TCP-NODELAY", false, 1 },
	{ "USE-UDP", false, 27 },
	{ "VERIFY-KEY", false, MEMC_VERIFY_KEY },
	{ "CONNECT-TIMEOUT", true, 14 },
	{ "NUMBER-OF-REPLICAS", true, 29 },
	{ "POLL-TIMEOUT", true, 8 },
	{ "RCV-TIMEOUT", true, 20 },
	{ "REMOVE-FAILED-SERVERS", true, 35 },
	{ "RETRY-TIMEOUT", true, 15 },
	{ "SND-TIMEOUT", true, 19 },
	{ "SOCKET-RECV-SIZE", true, 5 },
	{ "SOCKET-SEND-SIZE", true, 4 },
	{ "FETCH-VERSION", false, NOTHING },
	{ "SUPPORT-CAS", false, NOTHING },
	{ "TCP-KEEPIDLE", false, NOTHING },
	{ "USER-DATA", false, NOTHING },
	{ "IO-BYTES-WATERMARK", true, NOTHING },
	{ "IO-KEY-PREFETCH", true, NOTHING },
	{ "IO-MSG-WATERMARK", true, NOTHING },
	{ "POOL-MAX", true, NOTHING },
	{ "POOL-MIN", true, NOTHING },
};

static bool take_behavior(memc_link *link, const char *name, size_t len, const text *value)
{
	for (size_t i = 0; i < sizeof(behaviors) / sizeof(*behaviors); i++) {
		if (is(behaviors[i].name, name, len)) {
			zend_long number = 1;
			bool good = behaviors[i].has_number
				? value->is_given && !value->is_quoted && memc_take_number(value->at, value->len, &number)
				: !value->is_given;
			return good
				&& (behaviors[i].option == NOTHING
					|| php_leveret_memc_link_set(link, behaviors[i].option, number) == MEMC_SUCCESS);
		}
	}
	return false;
}

/* The text after the '=' at `at`, without quotes and weight. False: malformed. */
static bool take_text(const char *at, const char *end, text *value)
{
	*value = (text) { .at = at, .len = (size_t) (end - at), .is_given = true };
	if (at < end && *at == '"') {
		const char *quote = memchr(at + 1, '"', (size_t) (end - at - 1));
		if (!quote) {
			return false;
		}
		value->is_quoted = true;
		value->at++;
		value->len = (size_t) (quote - value->at);
		at = quote + 1;
	}
	const char *weight = zend_memnstr(at, "/?", 2, end);
	if (!value->is_quoted) {
		value->len = (size_t) ((weight ? weight : end) - value->at);
	} else if (at != (weight ? weight : end)) {
		return false;
	}
	return !weight || memc_take_number(weight + 2, (size_t) (end - weight - 2), &value->weight);
}

static bool take_word(memc_link *link, const char *at, const char *end)
{
	if (is("RESET", at, (size_t) (end - at))) {
		leveret_pool_clear_servers(link->pool);
		return true;
	}
	if (end - at < 2 || at[0] != '-' || at[1] != '-') {
		return false;
	}
	const char *name = at + 2, *equals = memchr(name, '=', (size_t) (end - name));
	size_t len = (size_t) ((equals ? equals : end) - name);
	text value = { 0 };
	if (equals && !take_text(equals + 1, end, &value)) {
		return false;
	}
	if (value.is_given && value.len) {
		if (is("SERVER", name, len) || is("SOCKET", name, len)) {
			return take_server(link, &value, is("SOCKET", name, len));
		}
		if (is("NAMESPACE", name, len)) {
			return take_prefix(link, &value);
		}
		if (is("HASH", name, len)) {
			return take_hash(link, HASH, value.at, value.len);
		}
		if (is("DISTRIBUTION", name, len)) {
			return take_distribution(link, &value);
		}
	}
	return take_behavior(link, name, len, &value);
}

zend_string *php_leveret_memc_configure(memc_link *link, const zend_string *words)
{
	const char *at = ZSTR_VAL(words);
	while (*(at += strspn(at, " \t\r\n"))) {
		const char *end = at;
		for (bool is_quoted = false; *end && (is_quoted || !strchr(" \t\r\n", *end)); end++) {
			is_quoted ^= *end == '"';
		}
		if (is("END", at, (size_t) (end - at))) {
			break;
		}
		if (!take_word(link, at, end)) {
			return zend_string_init(at, (size_t) (end - at), 0);
		}
		at = end;
	}
	return NULL;
}
