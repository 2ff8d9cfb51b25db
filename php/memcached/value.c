/* memcached/value.c: zval <-> bytes and flags of pecl/memcached.
 *
 *   flags   type:4 | internal:12 (16 = compressed, 32 = zlib, 64 = fastlz, 128 = zstd) | the application's:16
 *   compressed data   length of the original as 4 bytes, low byte first; then the codec's stream
 *
 * codec/decode.c reads them, and what other entrances left in an arena. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/text.h"
#include "memcached.h"
#include "module.h"

#include "ext/json/php_json.h"
#include "zend_strtod.h"

enum { TYPE_STRING, TYPE_LONG, TYPE_DOUBLE, TYPE_BOOL, TYPE_SERIALIZED, TYPE_IGBINARY, TYPE_JSON, TYPE_MSGPACK };

#define TYPE_MASK 15u
#define FLAG_COMPRESSED (1u << 4)
#define FLAG_ZLIB (2u << 4)
#define FLAG_FASTLZ (4u << 4)
#define FLAG_ZSTD (8u << 4)
#define USER_OF(flags) ((flags) >> 16)

/* zlib's own default. */
#define ZLIB_LEVEL 6

/* --- encoding --- */

static leveret_encoding encoding_of_serializer(zend_long serializer)
{
	switch (serializer) {
		case MEMC_SERIALIZER_IGBINARY:
			return LEVERET_IGBINARY;
		case MEMC_SERIALIZER_MSGPACK:
			return LEVERET_MSGPACK;
		case MEMC_SERIALIZER_JSON:
		case MEMC_SERIALIZER_JSON_ARRAY:
			return LEVERET_JSON;
		default:
			return LEVERET_PHP;
	}
}

static uint32_t type_of_encoding(uint8_t encoding)
{
	switch (encoding) {
		case LEVERET_INTEGER:
			return TYPE_LONG;
		case LEVERET_DOUBLE:
			return TYPE_DOUBLE;
		case LEVERET_BOOL:
			return TYPE_BOOL;
		case LEVERET_PHP:
			return TYPE_SERIALIZED;
		case LEVERET_IGBINARY:
			return TYPE_IGBINARY;
		case LEVERET_JSON:
			return TYPE_JSON;
		case LEVERET_MSGPACK:
			return TYPE_MSGPACK;
		default:
			return TYPE_STRING;
	}
}

static bool memc_serialize(memc_link *link, zval *value, client_payload *payload)
{
	leveret_encoding encoding = encoding_of_serializer(link->serializer);
	if (encoding != LEVERET_JSON) {
		return php_leveret_client_payload_serialize(payload, encoding, value);
	}
	smart_str text = { 0 };
	/* Held: user code (jsonSerialize) may assign something else where the script has a reference to it. */
	zval held;
	ZVAL_COPY(&held, value);
	zend_result encoded = php_json_encode(&text, &held, 0);
	zval_ptr_dtor(&held);
	if (encoded == FAILURE || EG(exception)) {
		smart_str_free(&text);
		return false;
	}
	smart_str_0(&text);
	php_leveret_client_payload_take(payload, LEVERET_JSON, text.s);
	return true;
}

static uint32_t codec_of_link(const memc_link *link)
{
	switch (link->compression_type) {
		case MEMC_COMPRESSION_ZLIB:
			return LEVERET_CODEC_ZLIB;
		case MEMC_COMPRESSION_ZSTD:
			return LEVERET_CODEC_ZSTD;
		default:
			return LEVERET_CODEC_FASTLZ;
	}
}

/* The directive's default is zstd's: unless a level is configured, zlib has its own, as before there was a directive. */
static int32_t level_of_link(const memc_link *link, uint32_t codec)
{
	zend_long level = codec == LEVERET_CODEC_ZLIB && !link->has_level ? ZLIB_LEVEL : link->compression_level;
	return (int32_t) MAX(MIN(level, INT32_MAX), INT32_MIN);
}

/* Compresses where that saves enough. Failing to is no error: the value stays as it is. */
static void memc_compress(const memc_link *link, client_payload *payload)
{
	size_t len = payload->bytes.len;
	double factor = MEMCACHED_G(compression_factor);
	/* A threshold below zero is above every length, as in the original. */
	if (!link->compression || len < (size_t) MEMCACHED_G(compression_threshold)) {
		return;
	}
	uint32_t codec = codec_of_link(link);
	/* What takes more room than this saves too little. A factor below 1 lets it grow, as far as the original's buffer,
	 * in which FastLZ does not stop at the end. */
	double most = codec == LEVERET_CODEC_FASTLZ ? 2.0 * (double) len + 64 : 1.05 * (double) len + 1;
	size_t room = (size_t) (factor > 0 ? MIN((double) len / factor, most) : most);
	if (php_leveret_client_payload_compress(payload, codec, level_of_link(link, codec), room)) {
		payload->meta.flags |= FLAG_COMPRESSED
			| (codec == LEVERET_CODEC_ZLIB        ? FLAG_ZLIB
					: codec == LEVERET_CODEC_ZSTD ? FLAG_ZSTD
												  : FLAG_FASTLZ);
	}
}

/* The shortest digits that are read back as the same number, "d.ddde+NN" where the point would be far from them, no
 * zero before a point: as pecl/memcached writes it, so that append, prefix and length of an item do not depend on its
 * writer. */
static void append_digits(smart_str *text, double value)
{
	int point;
	bool is_negative;
	char *end, *digits = zend_dtoa(value, 0, 0, &point, &is_negative, &end);
	int len = (int) (end - digits);
	if (is_negative) {
		php_leveret_append_word(text, "-");
	}
	if (point <= -4 || point > len + 5) {
		php_leveret_append(text, digits, 1);
		if (len > 1) {
			php_leveret_append_word(text, ".");
			php_leveret_append(text, digits + 1, len - 1);
		}
		smart_str_append_printf(text, "e%c%02d", point > 0 ? '+' : '-', abs(point - 1));
	} else {
		int whole = MIN(MAX(point, 0), len);
		php_leveret_append(text, digits, whole);
		for (int zeros = point - len; zeros > 0; zeros--) {
			php_leveret_append_word(text, "0");
		}
		if (whole < len) {
			php_leveret_append_word(text, ".");
			for (int zeros = -point; zeros > 0; zeros--) {
				php_leveret_append_word(text, "0");
			}
			php_leveret_append(text, digits + whole, len - whole);
		}
	}
	zend_freedtoa(digits);
}

static zend_string *text_of_double(double value)
{
	smart_str text = { 0 };
	if (zend_isnan(value)) {
		php_leveret_append_word(&text, "NaN");
	} else if (zend_isinf(value)) {
		php_leveret_append_word(&text, value < 0 ? "-Infinity" : "Infinity");
	} else {
		append_digits(&text, value);
	}
	smart_str_0(&text);
	return text.s;
}

/* User code has thrown: the original says so too, which error_get_last() and logs show. */
static void tell_exception(zend_long serializer)
{
	if (EG(exception) && (serializer == MEMC_SERIALIZER_PHP || serializer == MEMC_SERIALIZER_IGBINARY)) {
		php_error_docref(NULL, E_WARNING, "could not serialize value%s",
			serializer == MEMC_SERIALIZER_IGBINARY ? " with igbinary" : "");
	}
}

/* Its flags stay readable, as with the original. In an arena its origin is that of a socket client: only a client with
 * the key can decode these bytes. */
static void encrypt_payload(const leveret_cipher *cipher, client_payload *payload)
{
	zend_string *sealed = zend_string_alloc(leveret_encrypted_len(payload->bytes.len), 0);
	leveret_encrypt(cipher, payload->bytes, ZSTR_VAL(sealed));
	ZSTR_VAL(sealed)[ZSTR_LEN(sealed)] = '\0';
	php_leveret_client_payload_free(payload);
	php_leveret_client_payload_take(payload, LEVERET_RAW, sealed);
	payload->meta.origin = LEVERET_WIRE;
	payload->meta.codec = LEVERET_CODEC_NONE;
}

zend_string *php_leveret_memc_decrypt(const leveret_cipher *cipher, zend_string *data)
{
	size_t len;
	zend_string *opened = zend_string_alloc(ZSTR_LEN(data), 0);
	if (leveret_decrypt(cipher, php_leveret_string(data), ZSTR_VAL(opened), &len) != 0) {
		zend_string_efree(opened);
		return NULL;
	}
	opened = zend_string_truncate(opened, len, 0);
	ZSTR_VAL(opened)[len] = '\0';
	return opened;
}

bool php_leveret_memc_encode(memc_link *link, zval *value, client_payload *payload)
{
	ZVAL_DEREF(value);
	php_leveret_client_payload_begin(payload, LEVERET_PECL_MEMCACHED);
	switch (Z_TYPE_P(value)) {
		case IS_STRING:
			php_leveret_client_payload_take(payload, LEVERET_RAW, zend_string_copy(Z_STR_P(value)));
			break;
		case IS_LONG:
			php_leveret_client_payload_set_integer(payload, Z_LVAL_P(value));
			break;
		case IS_DOUBLE:
			php_leveret_client_payload_take(payload, LEVERET_DOUBLE, text_of_double(Z_DVAL_P(value)));
			break;
		case IS_TRUE:
		case IS_FALSE:
			payload->meta.encoding = LEVERET_BOOL;
			payload->bytes = php_leveret_bytes("1", Z_TYPE_P(value) == IS_TRUE);
			break;
		default:
			if (!memc_serialize(link, value, payload)) {
				tell_exception(link->serializer);
				return false;
			}
	}
	payload->meta.flags = type_of_encoding(payload->meta.encoding);
	if (payload->meta.encoding == LEVERET_RAW || payload->meta.encoding >= LEVERET_PHP) {
		memc_compress(link, payload);
	}
	if (link->user_flags >= 0) {
		payload->meta.flags |= (uint32_t) link->user_flags << 16;
	}
	if (link->cipher) {
		encrypt_payload(link->cipher, payload);
	}
	return true;
}

/* --- decoding --- */

uint32_t php_leveret_memc_user_flags(const leveret_meta *meta)
{
	return meta->origin == LEVERET_NATIVE ? 0 : USER_OF(meta->flags);
}

static bool is_igbinary(const leveret_meta *meta)
{
	return meta->encoding == LEVERET_IGBINARY || (meta->flags & TYPE_MASK) == TYPE_IGBINARY;
}

bool php_leveret_memc_decode(memc_object *self, const leveret_meta *meta, zend_string *data, zval *value)
{
	const char *problem;
	switch (php_leveret_decode(meta, LEVERET_PECL_MEMCACHED, data, memc_wanted(self->link), value, &problem)) {
		case PHP_LEVERET_DECODED:
			return true;
		case PHP_LEVERET_UNKNOWN_FLAGS:
			php_error_docref(NULL, E_WARNING, "unknown payload type");
			break;
		case PHP_LEVERET_NOT_DECOMPRESSED:
			php_error_docref(NULL, E_WARNING, "could not decompress value: %s", problem);
			break;
		default:
			if (!EG(exception)) {
				php_error_docref(NULL, E_WARNING, "could not unserialize value: %s", problem);
			} else if (!problem) {
				/* All was read: to PHP's serializer, before __unserialize() and __wakeup() ran. */
				return false;
			} else if (is_igbinary(meta)) {
				php_error_docref(NULL, E_WARNING, "could not unserialize value with igbinary");
			}
	}
	memc_result(self, MEMC_PAYLOAD_FAILURE);
	return false;
}
