/* client/payload.c: a value on its way to a server. What the flags say of it is for each entrance: memcached/value.c,
 * memcache/value.c. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "payload.h"
#include "base/bytes.h"
#include "codec/serializer.h"
#include "codec/value.h"

void php_leveret_client_payload_begin(client_payload *payload, leveret_origin origin)
{
	memset(payload, 0, offsetof(client_payload, text));
	payload->meta.origin = (uint8_t) origin;
}

void php_leveret_client_payload_take(client_payload *payload, leveret_encoding encoding, zend_string *string)
{
	payload->meta.encoding = (uint8_t) encoding;
	payload->string = string;
	payload->bytes = php_leveret_string(string);
}

void php_leveret_client_payload_set_integer(client_payload *payload, zend_long number)
{
	payload->meta.encoding = LEVERET_INTEGER;
	payload->bytes = php_leveret_bytes(
		payload->text, (size_t) snprintf(payload->text, sizeof(payload->text), ZEND_LONG_FMT, number));
}

bool php_leveret_client_payload_serialize(client_payload *payload, leveret_encoding encoding, zval *value)
{
	php_leveret_encoded encoded;
	if (!php_leveret_serialize_as(encoding, value, &encoded)) {
		return false;
	}
	payload->meta.encoding = (uint8_t) encoding;
	payload->block = encoded.owned;
	payload->bytes = encoded.bytes;
	return true;
}

bool php_leveret_client_payload_compress(client_payload *payload, uint32_t codec, int32_t level, size_t room)
{
	zend_string *packed = zend_string_alloc(room, 0);
	if (leveret_compress(codec, payload->bytes, level, ZSTR_VAL(packed), &room) != 0) {
		zend_string_efree(packed);
		return false;
	}
	ZSTR_LEN(packed) = room;
	ZSTR_VAL(packed)[room] = '\0';
	php_leveret_client_payload_free(payload);
	php_leveret_client_payload_take(payload, payload->meta.encoding, packed);
	payload->meta.codec = (uint8_t) codec;
	return true;
}

void php_leveret_client_payload_free(client_payload *payload)
{
	if (payload->string) {
		zend_string_release(payload->string);
		payload->string = NULL;
	}
	if (payload->block) {
		efree(payload->block);
		payload->block = NULL;
	}
}
