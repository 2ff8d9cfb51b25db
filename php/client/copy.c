/* client/copy.c: answers of a pool, or items of an arena, copied into the request's heap, so that user code cannot
 * invalidate them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "copy.h"

client_copy *php_leveret_client_copies_next(client_copies *copies)
{
	if (copies->count == copies->room) {
		copies->room = copies->room ? 2 * copies->room : 16;
		copies->list = safe_erealloc(copies->list, copies->room, sizeof(*copies->list), 0);
	}
	return &copies->list[copies->count++];
}

void php_leveret_client_copy_free(client_copy *copy)
{
	if (copy->key) {
		zend_string_release(copy->key);
	}
	if (copy->data) {
		zend_string_release(copy->data);
	}
	copy->key = copy->data = NULL;
}

void php_leveret_client_copies_free(client_copies *copies)
{
	for (uint32_t i = 0; i < copies->count; i++) {
		php_leveret_client_copy_free(&copies->list[i]);
	}
	if (copies->list) {
		efree(copies->list);
	}
}
