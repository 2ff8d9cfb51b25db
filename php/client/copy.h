/* client/copy.h: answers of a pool, and items of an arena, in the request's heap. */
#ifndef PHP_LEVERET_CLIENT_COPY_H
#define PHP_LEVERET_CLIENT_COPY_H

#include "base/bytes.h"
#include "codec/cost.h"

/* Shorter strings usually fit into memory that the request has already; otherwise PHP's own limit applies. */
#define CLIENT_COPY_FREE (256 * 1024)

typedef struct client_copy {
	uint32_t request;
	int32_t code;
	uint32_t server;
	zend_string *key;  /* NULL: it is not told */
	zend_string *data; /* NULL: the value is `number`, which an arena keeps as one, or too long */
	bool is_too_long;  /* for memory_limit */
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
		.request = answer->request,
		.code = answer->code,
		.server = answer->server,
		.meta = answer->meta,
		.cas = answer->cas,
		.number = answer->number,
		.data = zend_string_init((const char *) answer->value.data, answer->value.len, 0),
	};
}

/* Whether memory_limit allows a string of this length: otherwise PHP would end the script. */
static zend_always_inline bool client_fits(size_t len)
{
	return EXPECTED(len <= CLIENT_COPY_FREE) || php_leveret_string_cost(len) <= php_leveret_memory_left_for_block();
}

/* As client_copy_answer, except for values that are too long. */
static zend_always_inline void client_copy_fitting(const leveret_answer *answer, client_copy *copy)
{
	if (UNEXPECTED(!client_fits(answer->value.len))) {
		leveret_answer without = *answer;
		without.value.len = 0;
		client_copy_answer(&without, copy);
		zend_string_release(copy->data);
		copy->data = NULL;
		copy->is_too_long = true;
	} else {
		client_copy_answer(answer, copy);
	}
}

/* Room for one more. */
client_copy *php_leveret_client_copies_next(client_copies *copies);
void php_leveret_client_copy_free(client_copy *copy);
void php_leveret_client_copies_free(client_copies *copies);
/* For one server that is an arena: the item is read straight from memory. `copy` is empty, and stays so unless the
 * result is OK; reading->found then describes the copied item. */
static zend_always_inline leveret_status client_copy_item(
	leveret_arena *arena, const zend_string *key, bool with_cas, client_copy *copy, leveret_reading *reading)
{
	leveret_bytes name = php_leveret_string(key);
	leveret_status status = leveret_read_begin(arena, name, with_cas ? LEVERET_READ_CAS : 0, 0, 0, reading);
	zend_string *data = NULL;
	if (UNEXPECTED(status != LEVERET_OK)) {
		return status;
	}
	do {
		copy->is_too_long = !client_fits(reading->found.value_len);
		bool is_integer = reading->found.is_number && reading->found.meta.encoding == LEVERET_INTEGER;
		status = UNEXPECTED(copy->is_too_long || is_integer) ? LEVERET_OK
															 : php_leveret_read_string(arena, name, reading, &data);
	} while (UNEXPECTED(status == LEVERET_RETRY));
	if (EXPECTED(status == LEVERET_OK)) {
		copy->data = data;
		copy->meta = reading->found.meta;
		copy->cas = reading->found.cas;
		copy->number = (uint64_t) reading->found.number;
	}
	return status;
}

#endif
