/* codec/decode.c: bytes of any entrance -> zval. What the bytes are is said by the item, or by its flags: see
 * leveret_translate.
 *
 * A writer may be hostile, so no length here is trusted, and a value that would not fit into the
 * request's memory counts as damaged: a fatal error would be worse than a miss.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "decode.h"
#include "base/bytes.h"
#include "compact_format.h"
#include "cost.h"
#include "serializer.h"

#include "ext/json/php_json.h"

/* Takes `data` over. NULL: it cannot be. */
static zend_string *decompress(uint8_t codec, zend_string *data)
{
	zend_string *whole = NULL;
	size_t len;
	if (leveret_decompressed_len(codec, php_leveret_string(data), php_leveret_memory_left(), &len) == 0) {
		whole = zend_string_alloc(len, 0);
		ZSTR_VAL(whole)[len] = '\0';
		if (leveret_decompress(codec, php_leveret_string(data), ZSTR_VAL(whole), len) != 0) {
			zend_string_efree(whole);
			whole = NULL;
		}
	}
	zend_string_release(data);
	return whole;
}

double php_leveret_text_to_double(const char *text)
{
	/* zend_strtod knows digits only, and nearly every number has nothing else. */
	const char *name = text + (*text == '-' || *text == '+');
	if (EXPECTED(*name >= '0' && *name <= '9')) {
		return zend_strtod(text, NULL);
	}
	size_t len = strlen(name);
	if (php_leveret_is_word(name, len, "INF") || php_leveret_is_word(name, len, "Infinity")) {
		return *text == '-' ? -ZEND_INFINITY : ZEND_INFINITY;
	}
	return php_leveret_is_word(name, len, "NAN") ? ZEND_NAN : zend_strtod(text, NULL);
}

/* pecl/memcache writes and reads the decimal sign of its script's locale. */
static double double_of_locale(const zend_string *data)
{
	const char *comma = memchr(ZSTR_VAL(data), ',', ZSTR_LEN(data));
	if (EXPECTED(!comma)) {
		return php_leveret_text_to_double(ZSTR_VAL(data));
	}
	zend_string *text = zend_string_init(ZSTR_VAL(data), ZSTR_LEN(data), 0);
	ZSTR_VAL(text)[comma - ZSTR_VAL(data)] = '.';
	double number = php_leveret_text_to_double(ZSTR_VAL(text));
	zend_string_release(text);
	return number;
}

/* The bytes of a value that is not compressed. */
static bool read_plain(
	uint8_t encoding, leveret_origin reader, const zend_string *data, int wanted, zval *value, const char **problem)
{
	const char *bytes = ZSTR_VAL(data);
	switch (encoding) {
		case LEVERET_INTEGER:
			ZVAL_LONG(value, ZEND_STRTOL(bytes, NULL, 10));
			return true;
		case LEVERET_DOUBLE:
			ZVAL_DOUBLE(
				value, reader == LEVERET_PECL_MEMCACHE ? double_of_locale(data) : php_leveret_text_to_double(bytes));
			return true;
		case LEVERET_BOOL:
			/* pecl/memcache accepts only "1" as true, pecl/memcached checks the first byte: counting or appending makes
			 * the difference visible. */
			ZVAL_BOOL(value, bytes[0] == '1' && (ZSTR_LEN(data) == 1 || reader != LEVERET_PECL_MEMCACHE));
			return true;
		case LEVERET_NULL:
			ZVAL_NULL(value);
			return true;
		case LEVERET_JSON:
			/* So Ruby stores what others get as JSON. */
			if (wanted & PHP_LEVERET_TRUSTED && php_leveret_is_compact(bytes, ZSTR_LEN(data))) {
				return php_leveret_unserialize(LEVERET_PHP, bytes, ZSTR_LEN(data), wanted, value, problem);
			}
			if (!php_leveret_json_fits(
					bytes, ZSTR_LEN(data), php_leveret_cost_max(ZSTR_LEN(data), wanted & PHP_LEVERET_TRUSTED))) {
				*problem = "it is longer than memory_limit allows";
				return false;
			}
			*problem = "it is no JSON";
			return php_json_decode_ex(value, bytes, ZSTR_LEN(data),
					   wanted & PHP_LEVERET_JSON_OBJECTS ? 0 : PHP_JSON_OBJECT_AS_ARRAY, PHP_JSON_PARSER_DEFAULT_DEPTH)
				== SUCCESS;
		default:
			return php_leveret_unserialize(encoding, bytes, ZSTR_LEN(data), wanted, value, problem);
	}
}

static bool is_string(uint8_t encoding)
{
	/* Or later than this version: opaque, so its bytes. */
	return encoding == LEVERET_RAW || encoding > LEVERET_MARSHAL;
}

php_leveret_decoding php_leveret_decode(
	const leveret_meta *meta, leveret_origin reader, zend_string *data, int wanted, zval *value, const char **problem)
{
	leveret_form form = { LEVERET_RAW, LEVERET_CODEC_NONE };
	if (!php_leveret_is_string(meta) && leveret_translate(meta, reader, php_leveret_string(data), &form) != 0
		&& reader != LEVERET_NATIVE) {
		zend_string_release(data);
		*problem = "no extension writes such flags";
		return PHP_LEVERET_UNKNOWN_FLAGS;
	}
	if (form.codec != LEVERET_CODEC_NONE && !(data = decompress(form.codec, data))) {
		*problem = "it is damaged, or longer than memory_limit allows";
		return PHP_LEVERET_NOT_DECOMPRESSED;
	}
	if (is_string(form.encoding)) {
		ZVAL_STR(value, data);
		return PHP_LEVERET_DECODED;
	}
	if (form.encoding == LEVERET_MARSHAL) {
		zend_string_release(data);
		*problem = "it is Ruby's Marshal data";
		return PHP_LEVERET_NOT_UNSERIALIZED;
	}
	/* Ruby has stored a Hash or an Array: they become arrays. */
	if (meta->origin == LEVERET_RUBY) {
		wanted &= ~PHP_LEVERET_JSON_OBJECTS;
	}
	if (meta->origin != LEVERET_WIRE && meta->origin != LEVERET_REMOTE) {
		wanted |= PHP_LEVERET_TRUSTED;
	}
	bool readable = read_plain(form.encoding, reader, data, wanted, value, problem);
	zend_string_release(data);
	return readable ? PHP_LEVERET_DECODED : PHP_LEVERET_NOT_UNSERIALIZED;
}

void php_leveret_decoding_failed(php_leveret_decoding decoding, const char *problem)
{
	if (!EG(exception)) {
		php_error_docref(NULL, E_WARNING, "The stored value does not %s, it counts as missing: %s",
			decoding == PHP_LEVERET_NOT_DECOMPRESSED ? "decompress" : "unserialize", problem);
	}
}
