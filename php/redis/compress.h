/* redis/compress.h: LZF and LZ4 blocks, as php-redis writes and reads them. */
#ifndef PHP_LEVERET_REDIS_COMPRESS_H
#define PHP_LEVERET_REDIS_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long a block becomes at most. */
static inline size_t php_leveret_lz4_bound(size_t len)
{
	return len + len / 255 + 16;
}

/* `out` has room for the bound. Returns how much is used. */
size_t php_leveret_lz4_compress(const uint8_t *in, size_t len, uint8_t *out);
/* False: damaged, or it does not make exactly `room` bytes. */
bool php_leveret_lz4_decompress(const uint8_t *in, size_t len, uint8_t *out, size_t room);

/* 0: it takes more than `room`. */
size_t php_leveret_lzf_compress(const uint8_t *in, size_t len, uint8_t *out, size_t room);
/* Its decompressed length, if all of it is valid; otherwise nothing is written. */
bool php_leveret_lzf_len(const uint8_t *in, size_t len, size_t *content);
/* After php_leveret_lzf_len has told that it is sound, and how much room it takes. */
void php_leveret_lzf_decompress(const uint8_t *in, size_t len, uint8_t *out);

#endif
