/* client/client.h: what the drop-in modules memcached and memcache share: values on their way to a server, and answers on their way back. */
#ifndef PHP_LEVERET_CLIENT_H
#define PHP_LEVERET_CLIENT_H

#include "php_leveret.h"

/* --- client/payload.c: a value as bytes, and what flags and meta say of them --- */

/* Points into itself: never moved. It owns its bytes, since user code that encodes the next value of a batch may let go of the zval. */
typedef struct client_payload {
	leveret_bytes bytes;
	leveret_meta meta;
	zend_string *string;              /* holds the bytes, or NULL */
	void *block;                      /* likewise, of the request's heap */
	int64_t integer;                  /* what goes into an arena in place of the text */
	char text[32];
} client_payload;

/* Empty, of the entrance `origin`. */
void client_payload_begin(client_payload *payload, leveret_origin origin);
/* Takes `string` over. */
void client_payload_take(client_payload *payload, leveret_encoding encoding, zend_string *string);
void client_payload_set_integer(client_payload *payload, zend_long number);
/* Runs user code. False: an exception is pending, or a warning was given. */
bool client_payload_serialize(client_payload *payload, leveret_encoding encoding, zval *value);
/* Into at most `room` bytes. False: it needs more, or cannot be, and stays as it is. */
bool client_payload_compress(client_payload *payload, uint32_t codec, int32_t level, size_t room);
void client_payload_free(client_payload *payload);

/* --- client/copy.c: answers of a pool, and items of an arena, in the request's heap --- */

typedef struct client_copy {
	uint32_t request;
	int32_t code;
	uint32_t server;
	zend_string *key;                 /* NULL: it is not told */
	zend_string *data;                /* NULL: the value is `number`, which an arena keeps as one */
	leveret_meta meta;
	uint64_t cas;
	uint64_t number;
} client_copy;

typedef struct client_copies {
	client_copy *list;
	uint32_t count, room;
} client_copies;

/* All but the key. */
static zend_always_inline void client_copy_answer(const leveret_answer *answer, client_copy *copy)
{
	*copy = (client_copy) {
		.request = answer->request, .code = answer->code, .server = answer->server, .meta = answer->meta, .cas = answer->cas, .number = answer->number,
		.data = zend_string_init((const char *) answer->value.data, answer->value.len, 0)
	};
}

/* Room for one more. */
client_copy *client_copies_next(client_copies *copies);
void client_copy_free(client_copy *copy);
void client_copies_free(client_copies *copies);
/* One server that is an arena: the item is read straight from memory. `copy` is empty, and stays so unless the answer is OK. */
static zend_always_inline leveret_status client_copy_item(leveret_arena *arena, const zend_string *key, bool with_cas, client_copy *copy)
{
	leveret_bytes name = php_leveret_string(key);
	leveret_found found;
	leveret_status status;
	int tries = 0;
	do {
		status = with_cas ? leveret_find_cas(arena, name, 0, &found) : leveret_find(arena, name, 0, &found);
		if (UNEXPECTED(status != LEVERET_OK)) {
			return status;
		}
		zend_string *data = NULL;
		if (!(found.is_number && found.meta.encoding == LEVERET_INTEGER)) {
			status = php_leveret_copy_string(arena, &found, &data);
		}
		if (EXPECTED(status == LEVERET_OK)) {
			copy->data = data;
			copy->meta = found.meta;
			copy->cas = found.cas;
			copy->number = (uint64_t) found.number;
			return LEVERET_OK;
		}
	} while (status == LEVERET_RETRY && ++tries < PHP_LEVERET_TRIES_MAX);
	return status == LEVERET_RETRY ? LEVERET_MISS : status;
}

#endif
