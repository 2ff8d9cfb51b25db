/* greeting.c: keeps a text in the arena "default", which PHP, Ruby and the command see too.
 *
 *     cc greeting.c $(pkg-config --cflags --libs leveret) -o greeting && ./greeting && leveret get greeting
 */
#include <leveret.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static leveret_bytes bytes(const char *text)
{
	return (leveret_bytes) { .data = (const uint8_t *) text, .len = strlen(text) };
}

int main(void)
{
	char message[512] = "";
	leveret_arena *arena = NULL;
	uint32_t created = 0;
	leveret_open_options options = { .arena = bytes("default"), .memory = 64 << 20, .create = 1 };
	if (leveret_open(&options, &arena, &created, message, sizeof(message)) != LEVERET_OK) {
		fprintf(stderr, "%s\n", message);
		return 1;
	}

	leveret_meta text = { .origin = LEVERET_NATIVE, .encoding = LEVERET_RAW };
	uint64_t version;
	leveret_status status =
		leveret_store(arena, bytes("greeting"), bytes("hello from C"), &text, LEVERET_NEVER, LEVERET_SET, 0, 0, &version);
	if (status != LEVERET_OK) {
		fprintf(stderr, "it was not stored: status %d\n", status);
		leveret_close(arena);
		return 1;
	}

	/* RETRY: another process stored a new version between the two calls, which may be longer. */
	leveret_reading reading;
	char *value = NULL;
	status = leveret_read_begin(arena, bytes("greeting"), 0, 0, 0, &reading);
	while (status == LEVERET_OK || status == LEVERET_RETRY) {
		free(value);
		value = malloc(reading.found.value_len + 1);
		if (value == NULL || (status = leveret_read_copy(arena, bytes("greeting"), &reading, value)) == LEVERET_OK) {
			break;
		}
	}
	if (status == LEVERET_OK && value != NULL) {
		printf("%.*s, %" PRIu64 " bytes\n", (int) reading.found.value_len, value, reading.found.value_len);
	}
	free(value);
	leveret_close(arena);
	return status == LEVERET_OK ? 0 : 1;
}
