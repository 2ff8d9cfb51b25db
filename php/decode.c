/* decode.c: bytes of any entrance -> zval. What the bytes are is said by the item, or by its flags: see leveret_translate.
 *
 * Who may store something may also lie, so nothing here trusts a length, and a value that would not fit into the request's memory
 * counts as damaged: a fatal error would be worse than a miss.
 */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php_leveret_globals.h"
#include "decode.h"

#include "ext/json/php_json.h"

/* A chunk of PHP's heap: what is smaller may find room in one that the request has already. */
#define CHUNK (2 * 1024 * 1024)
#define UNPACKED_MAX ((size_t) 1 << 30)

/* How long a value may become. */
static size_t unpacked_max(void)
{
	zend_long limit = PG(memory_limit);
	if (limit <= 0) {
		return UNPACKED_MAX;
	}
	size_t used = zend_memory_usage(true);
	size_t left = (size_t) limit > used + CHUNK ? (size_t) limit - used : CHUNK;
	return MIN(left, UNPACKED_MAX);
}

/* Takes `data` over. NULL: a warning was given. */
static zend_string *decompress(uint8_t codec, zend_string *data)
{
	zend_string *whole = NULL;
	size_t len;
	if (leveret_decompressed_len(codec, php_leveret_string(data), unpacked_max(), &len) == 0) {
		whole = zend_string_alloc(len, 0);
		ZSTR_VAL(whole)[len] = '\0';
		if (leveret_decompress(codec, php_leveret_string(data), ZSTR_VAL(whole), len) != 0) {
			zend_string_efree(whole);
			whole = NULL;
		}
	}
	zend_string_release(data);
	if (!whole) {
		php_error_docref(NULL, E_WARNING, "The stored value does not decompress, it counts as missing: it is damaged, or longer than memory_limit allows");
	}
	return whole;
}

double php_leveret_text_to_double(const char *text)
{
	/* zend_strtod knows digits only, and nearly every number has nothing else. */
	const char *name = text + (*text == '-' || *text == '+');
	if (EXPECTED(*name >= '0' && *name <= '9')) {
		return zend_strtod(text, NULL);
	}
	if (strcasecmp(name, "INF") == 0 || strcasecmp(name, "Infinity") == 0) {
		return *text == '-' ? -ZEND_INFINITY : ZEND_INFINITY;
	}
	return strcasecmp(name, "NAN") == 0 ? ZEND_NAN : zend_strtod(text, NULL);
}

static bool read_json(const zend_string *data, bool objects, zval *value)
{
	if (php_json_decode_ex(value, ZSTR_VAL(data), ZSTR_LEN(data), objects ? 0 : PHP_JSON_OBJECT_AS_ARRAY, PHP_JSON_PARSER_DEFAULT_DEPTH) == SUCCESS) {
		return true;
	}
	php_error_docref(NULL, E_WARNING, "The stored value is no JSON, it counts as missing");
	return false;
}

bool php_leveret_decode(const leveret_meta *meta, leveret_origin reader, zend_string *data, bool json_objects, zval *value)
{
	leveret_form form;
	bool readable = true;
	/* Most values: a string of any entrance. */
	if (meta->flags == 0 && meta->encoding == LEVERET_RAW && meta->codec == LEVERET_CODEC_NONE) {
		ZVAL_STR(value, data);
		return true;
	}
	if (leveret_translate(meta, reader, php_leveret_string(data), &form) != 0) {
		if (reader == LEVERET_NATIVE) {
			ZVAL_STR(value, data);
			return true;
		}
		zend_string_release(data);
		return false;
	}
	if (form.codec != LEVERET_CODEC_NONE && !(data = decompress(form.codec, data))) {
		return false;
	}
	switch (form.encoding) {
		case LEVERET_INTEGER:
			ZVAL_LONG(value, ZEND_STRTOL(ZSTR_VAL(data), NULL, 10));
			break;
		case LEVERET_DOUBLE:
			ZVAL_DOUBLE(value, php_leveret_text_to_double(ZSTR_VAL(data)));
			break;
		case LEVERET_BOOL:
			ZVAL_BOOL(value, ZSTR_VAL(data)[0] == '1');
			break;
		case LEVERET_NULL:
			ZVAL_NULL(value);
			break;
		case LEVERET_JSON:
			readable = read_json(data, json_objects, value);
			break;
		case LEVERET_PHP:
		case LEVERET_IGBINARY:
		case LEVERET_MSGPACK:
			readable = php_leveret_unserialize(form.encoding, ZSTR_VAL(data), ZSTR_LEN(data), value);
			break;
		default:
			/* A string; or of another language, which stays opaque: its bytes. */
			ZVAL_STR(value, data);
			return true;
	}
	zend_string_release(data);
	if (UNEXPECTED(EG(exception)) && readable) {
		zval_ptr_dtor(value);
	}
	return readable && !EG(exception);
}
