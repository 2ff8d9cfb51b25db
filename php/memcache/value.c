/* memcache/value.c: zval -> bytes and flags of pecl/memcache.
 *
 *   flags   1 = serialized, 2 = compressed | type:4 in bits 8 to 11 | the application's from bit 16 on
 *   compressed data   a zlib stream, nothing before it
 *
 * codec/decode.c reads them, and what other entrances left in an arena. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "codec/decode.h"
#include "memcache.h"

/* zlib's own default. */
#define LEVEL 6

/* Compresses where that saves enough. Failing to is no error: the value stays as it is. */
static void mmc_compress(double savings, client_payload *payload)
{
	/* What takes this much room saves too little. */
	double limit = (double) payload->bytes.len * (1 - savings);
	if (limit < 1) {
		return;
	}
	size_t room = (size_t) limit;
	room -= (double) room == limit;
	if (php_leveret_client_payload_compress(payload, LEVERET_CODEC_PLAIN_ZLIB, LEVEL, room)) {
		payload->meta.flags |= MMC_COMPRESSED;
	}
}

/* pecl/memcache serializes a copy of an array, and so writes one that holds itself by reference once more inside of
 * itself. Of the array itself a null would be left there. */
static bool mmc_serialize(client_payload *payload, zval *value)
{
	zval *element;
	if (Z_TYPE_P(value) == IS_ARRAY) {
		ZEND_HASH_FOREACH_VAL(Z_ARR_P(value), element) {
			if (Z_ISREF_P(element) && Z_TYPE_P(Z_REFVAL_P(element)) == IS_ARRAY
				&& Z_ARR_P(Z_REFVAL_P(element)) == Z_ARR_P(value)) {
				zval copy;
				ZVAL_ARR(&copy, zend_array_dup(Z_ARR_P(value)));
				bool done = php_leveret_client_payload_serialize(payload, LEVERET_PHP, &copy);
				zval_ptr_dtor(&copy);
				return done;
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	return php_leveret_client_payload_serialize(payload, LEVERET_PHP, value);
}

/* As pecl/memcache writes it, but with a point in any locale. */
static zend_string *mmc_value_text_of(double number)
{
	char text[64];
	if (!zend_finite(number)) {
		return zend_strpprintf(0, "%.14g", number);
	}
	php_gcvt(number, 14, '.', 'e', text);
	return zend_string_init(text, strlen(text), 0);
}

bool php_leveret_mmc_encode(const mmc_link *link, zval *value, zend_long flags, client_payload *payload)
{
	zend_long threshold = link->threshold;
	double savings = link->savings;
	ZVAL_DEREF(value);
	if ((uint32_t) flags & 0xffff & ~MMC_COMPRESSED) {
		php_error_docref(
			NULL, E_WARNING, "The lowest two bytes of the flags array is reserved for pecl/memcache internal use");
		return false;
	}
	php_leveret_client_payload_begin(payload, LEVERET_PECL_MEMCACHE);
	switch (Z_TYPE_P(value)) {
		case IS_STRING:
			php_leveret_client_payload_take(payload, LEVERET_RAW, zend_string_copy(Z_STR_P(value)));
			break;
		case IS_LONG:
			php_leveret_client_payload_set_integer(payload, Z_LVAL_P(value));
			payload->meta.flags = MMC_TYPE_LONG;
			break;
		case IS_DOUBLE:
			php_leveret_client_payload_take(payload, LEVERET_DOUBLE, mmc_value_text_of(Z_DVAL_P(value)));
			payload->meta.flags = MMC_TYPE_DOUBLE;
			break;
		case IS_TRUE:
		case IS_FALSE:
			payload->meta.encoding = LEVERET_BOOL;
			payload->meta.flags = MMC_TYPE_BOOL;
			payload->bytes = php_leveret_bytes(Z_TYPE_P(value) == IS_TRUE ? "1" : "0", 1);
			break;
		default:
			if (!mmc_serialize(payload, value)) {
				if (EG(exception)) {
					/* The original says so too, which error_get_last() and logs show. */
					php_error_docref(NULL, E_WARNING, "Failed to serialize value");
				}
				return false;
			}
			payload->meta.flags = MMC_SERIALIZED;
	}
	bool is_text = payload->meta.encoding == LEVERET_RAW || payload->meta.encoding == LEVERET_PHP;
	if (is_text && ((flags & MMC_COMPRESSED) || (threshold && payload->bytes.len >= (size_t) threshold))) {
		mmc_compress(savings, payload);
	}
	payload->meta.flags |= (uint32_t) flags & 0xffff0000;
	return true;
}

zend_long php_leveret_mmc_flags(const leveret_meta *meta)
{
	if (meta->origin == LEVERET_REMOTE || meta->origin == LEVERET_WIRE || meta->origin == LEVERET_PECL_MEMCACHE) {
		return meta->flags;
	}
	/* Of other entrances the type is told, as if this one had stored the value, and the application's own bits. */
	zend_long own = meta->origin == LEVERET_PECL_MEMCACHED ? meta->flags & 0xffff0000 : 0;
	switch (meta->encoding) {
		case LEVERET_RAW:
			return own;
		case LEVERET_INTEGER:
			return own | MMC_TYPE_LONG;
		case LEVERET_DOUBLE:
			return own | MMC_TYPE_DOUBLE;
		case LEVERET_BOOL:
			return own | MMC_TYPE_BOOL;
		default:
			return own | MMC_SERIALIZED;
	}
}

bool php_leveret_mmc_decode(client_copy *copy, zval *value)
{
	const char *problem;
	zend_string *data = copy->data;
	copy->data = NULL;
	if (UNEXPECTED(copy->is_too_long)) {
		php_error_docref(NULL, E_NOTICE, "Failed to read data: it is longer than memory_limit allows");
		return false;
	}
	if (!data) {
		ZVAL_LONG(value, (zend_long) copy->number);
		return true;
	}
	switch (php_leveret_decode(&copy->meta, LEVERET_PECL_MEMCACHE, data, 0, value, &problem)) {
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
