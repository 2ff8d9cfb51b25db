/* store_any.c: stores items of any make in an arena, as no entrance would: for each record of standard input, six
 * native-endian words of 32 bits (flags, origin, encoding, codec, key length, value length) and the bytes. A byte '1' answers each.
 * Arguments: arena, folder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leveret.h"

static leveret_bytes bytes_of(const void *data, size_t len)
{
	return (leveret_bytes) { .data = data, .len = len };
}

static void read_all(void *into, size_t len)
{
	if (len && fread(into, len, 1, stdin) != 1) {
		exit(0);
	}
}

int main(int argc, char **argv)
{
	char message[512] = "no arguments";
	leveret_arena *arena;
	uint32_t created, head[6];
	if (argc != 3) {
		return 2;
	}
	leveret_open_options options = { .arena = bytes_of(argv[1], strlen(argv[1])), .dir = bytes_of(argv[2], strlen(argv[2])), .memory = 16 << 20, .create = 1 };
	if (leveret_open(&options, &arena, &created, message, sizeof(message)) != LEVERET_OK) {
		fprintf(stderr, "%s\n", message);
		return 2;
	}
	for (;;) {
		read_all(head, sizeof(head));
		char *key = calloc(head[4] + 1, 1), *value = calloc(head[5] + sizeof(int64_t), 1);
		read_all(key, head[4]);
		read_all(value, head[5]);
		leveret_meta meta = { .flags = head[0], .origin = (uint8_t) head[1], .encoding = (uint8_t) head[2], .codec = (uint8_t) head[3] };
		leveret_status status = leveret_store(arena, bytes_of(key, head[4]), bytes_of(value, head[5]), &meta, LEVERET_NEVER, LEVERET_SET, 0, 0, NULL);
		putchar(status == LEVERET_OK ? '1' : '0');
		fflush(stdout);
		free(key);
		free(value);
	}
}
