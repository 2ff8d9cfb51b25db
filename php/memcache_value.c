/* memcache_value.c: zval -> bytes and flags of pecl/memcache.
 *
 *   flags   1 = serialized, 2 = compressed | type:4 in bits 8 to 11 | the application's from bit 16 on
 *   compressed data   a zlib stream, nothing before it
 *
 * decode.c reads them, and what other entrances left in an arena. */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "memcache.h"
#include "decode.h"

#include "zend_smart_str.h"

/* zlib's own default. */
#define LEVEL 6

static bool serialize(zval *value, mmc_payload *payload)
{
	php_leveret_encoded encoded;
	if (!php_leveret_serialize_as(LEVERET_PHP, value, &encoded)) {
		return false;
	}
	payload->meta.encoding = LEVERET_PHP;
	payload->meta.flags = MMC_SERIALIZED;
	payload->owned = zend_string_init((const char *) encoded.bytes.data, encoded.bytes.len, 0);
	payload->bytes = php_leveret_string(payload->owned);
	php_leveret_encoded_free(&encoded);
	return true;
}

/* Compresses where that saves enough. Failing to is no error: the value stays as it is. */
static void compress(double savings, mmc_payload *payload)
{
	/* What takes this much room saves too little. */
	double limit = (double) payload->bytes.len * (1 - savings);
	if (limit < 1) {
		return;
	}
	size_t room = (size_t) limit;
	room -= (double) room == limit;
	zend_string *packed = zend_string_alloc(room, 0);
	if (leveret_compress(LEVERET_CODEC_PLAIN_ZLIB, payload->bytes, LEVEL, ZSTR_VAL(packed), &room) != 0) {
		zend_string_efree(packed);
		return;
	}
	ZSTR_LEN(packed) = room;
	ZSTR_VAL(packed)[room] = '\0';
	mmc_payload_free(payload);
	payload->owned = packed;
	payload->bytes = php_leveret_string(packed);
	payload->meta.codec = LEVERET_CODEC_PLAIN_ZLIB;
	payload->meta.flags |= MMC_COMPRESSED;
}

bool mmc_encode(const mmc_link *link, zval *value, zend_long flags, mmc_payload *payload)
{
	zend_long threshold = link->threshold;
	double savings = link->savings;
	ZVAL_DEREF(value);
	memset(payload, 0, offsetof(mmc_payload, text));
	if ((uint32_t) flags & 0xffff & ~MMC_COMPRESSED) {
		php_error_docref(NULL, E_WARNING, "The lowest two bytes of the flags array is reserved for pecl/memcache internal use");
		return false;
	}
	payload->meta.origin = LEVERET_PECL_MEMCACHE;
	switch (Z_TYPE_P(value)) {
		case IS_STRING:
			/* Held, since user code of the next value of a batch may let go of it. */
			payload->owned = zend_string_copy(Z_STR_P(value));
			payload->bytes = php_leveret_string(payload->owned);
			break;
		case IS_LONG:
			payload->meta.encoding = LEVERET_INTEGER;
			payload->meta.flags = MMC_TYPE_LONG;
			payload->bytes = php_leveret_bytes(payload->text, (size_t) snprintf(payload->text, sizeof(payload->text), ZEND_LONG_FMT, Z_LVAL_P(value)));
			break;
		case IS_DOUBLE: {
			payload->meta.encoding = LEVERET_DOUBLE;
			payload->meta.flags = MMC_TYPE_DOUBLE;
			payload->owned = zend_strpprintf(0, "%.14g", Z_DVAL_P(value));
			payload->bytes = php_leveret_string(payload->owned);
			break;
		}
		case IS_TRUE:
		case IS_FALSE:
			payload->meta.encoding = LEVERET_BOOL;
			payload->meta.flags = MMC_TYPE_BOOL;
			payload->bytes = php_leveret_bytes(Z_TYPE_P(value) == IS_TRUE ? "1" : "0", 1);
			break;
		default:
			if (!serialize(value, payload)) {
				return false;
			}
	}
	bool is_text = payload->meta.encoding == LEVERET_RAW || payload->meta.encoding == LEVERET_PHP;
	if (is_text && ((flags & MMC_COMPRESSED) || (threshold && payload->bytes.len >= (size_t) threshold))) {
		compress(savings, payload);
	}
	payload->meta.flags |= (uint32_t) flags & 0xffff0000;
	return true;
}

void mmc_payload_free(mmc_payload *payload)
{
	if (payload->owned) {
		zend_string_release(payload->owned);
		payload->owned = NULL;
	}
}

zend_long mmc_flags(const leveret_meta *meta)
{
	if (meta->origin == LEVERET_REMOTE || meta->origin == LEVERET_WIRE || meta->origin == LEVERET_PECL_MEMCACHE) {
		return meta->flags;
	}
	/* Of other entrances the type is told, as if this one had stored the value, and the application's own bits. */
	zend_long own = meta->origin == LEVERET_PECL_MEMCACHED ? meta->flags & 0xffff0000 : 0;
	switch (meta->encoding) {
		case LEVERET_RAW: return own;
		case LEVERET_INTEGER: return own | MMC_TYPE_LONG;
		case LEVERET_DOUBLE: return own | MMC_TYPE_DOUBLE;
		case LEVERET_BOOL: return own | MMC_TYPE_BOOL;
		default: return own | MMC_SERIALIZED;
	}
}

bool mmc_decode(mmc_copy *copy, zval *value)
{
	const char *problem;
	zend_string *data = copy->data;
	copy->data = NULL;
	if (!data) {
		ZVAL_LONG(value, (zend_long) copy->number);
		return true;
	}
	switch (php_leveret_decode(&copy->meta, LEVERET_PECL_MEMCACHE, data, false, value, &problem)) {
		case PHP_LEVERET_DECODED:
			return true;
		case PHP_LEVERET_NOT_DECOMPRESSED:
			problem = "Failed to uncompress data";
			break;
		default:
			problem = "Failed to unserialize data";
	}
	if (!EG(exception)) {
		php_error_docref(NULL, E_NOTICE, "%s", problem);
	}
	return false;
}
