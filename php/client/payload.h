/* client/payload.h: a value as bytes on its way to a server, and what flags and meta say of them. */
#ifndef PHP_LEVERET_CLIENT_PAYLOAD_H
#define PHP_LEVERET_CLIENT_PAYLOAD_H

#include "php.h"
#include "leveret.h"

/* Points into itself: never moved. It owns its bytes, since user code that encodes the next value of a batch may let go
 * of the zval. */
typedef struct client_payload {
	leveret_bytes bytes;
	leveret_meta meta;
	zend_string *string; /* holds the bytes, or NULL */
	void *block;         /* likewise, of the request's heap */
	char text[32];
} client_payload;

/* Empty, of the entrance `origin`. */
void php_leveret_client_payload_begin(client_payload *payload, leveret_origin origin);
/* Takes `string` over. */
void php_leveret_client_payload_take(client_payload *payload, leveret_encoding encoding, zend_string *string);
void php_leveret_client_payload_set_integer(client_payload *payload, zend_long number);
/* Runs user code. False: an exception is pending, or a warning was given. */
bool php_leveret_client_payload_serialize(client_payload *payload, leveret_encoding encoding, zval *value);
/* Into at most `room` bytes. False: it needs more, or cannot be, and stays as it is. */
bool php_leveret_client_payload_compress(client_payload *payload, uint32_t codec, int32_t level, size_t room);
void php_leveret_client_payload_free(client_payload *payload);

#endif
