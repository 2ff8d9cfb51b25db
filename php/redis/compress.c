/* redis/compress.c: LZF and LZ4 blocks.
 *
 * Both keep a table of places by the hash of the bytes there, and say "as so many bytes ago" where a place is met again.
 * LZF: a control byte below 32 counts literals, less one; else its upper three bits are the length of a match less two
 * (seven: a byte more says how much more), its lower five and the next byte the distance less one.
 * LZ4: a byte of two halves, the count of literals and the length of the match less four (15: bytes of 255 follow), the
 * literals, and the distance in two bytes, lower one first. The last five bytes are literals. */
#include "compress.h"

#include <string.h>

#define HASH_BITS 14
#define HASH_SIZE (1 << HASH_BITS)

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;
	memcpy(&word, at, sizeof(word));
	return word;
}

static uint32_t hash_of(uint32_t word)
{
	return (word * 2654435761u) >> (32 - HASH_BITS);
}

/* --- LZ4 --- */

#define LZ4_MATCH_MIN 4
#define LZ4_LITERALS_AT_END 5
#define LZ4_MATCH_LIMIT 12 /* no match begins behind this many bytes before the end */
#define LZ4_DISTANCE_MAX 65535

static uint8_t *lz4_long_count(uint8_t *out, size_t count)
{
	for (; count >= 255; count -= 255) {
		*out++ = 255;
	}
	*out++ = (uint8_t) count;
	return out;
}

/* Literals, and a match unless `match` is 0. */
static uint8_t *lz4_sequence(uint8_t *out, const uint8_t *literals, size_t count, size_t match, size_t distance)
{
	uint8_t *token = out++;
	size_t more = match ? match - LZ4_MATCH_MIN : 0;
	*token = (uint8_t) ((count < 15 ? count : 15) << 4 | (more < 15 ? more : 15));
	if (count >= 15) {
		out = lz4_long_count(out, count - 15);
	}
	memcpy(out, literals, count);
	out += count;
	if (match) {
		*out++ = (uint8_t) distance;
		*out++ = (uint8_t) (distance >> 8);
		if (more >= 15) {
			out = lz4_long_count(out, more - 15);
		}
	}
	return out;
}

size_t php_leveret_lz4_compress(const uint8_t *in, size_t len, uint8_t *out)
{
	uint32_t places[HASH_SIZE];
	size_t at = 0, from = 0, end = len > LZ4_MATCH_LIMIT ? len - LZ4_MATCH_LIMIT : 0;
	uint8_t *begin = out;
	memset(places, 0, sizeof(places));
	while (at < end) {
		uint32_t word = word_at(in + at), *place = &places[hash_of(word)];
		/* Places are kept plus one: none is 0. */
		size_t before = *place;
		*place = (uint32_t) (at + 1);
		if (!before || at + 1 - before > LZ4_DISTANCE_MAX || word_at(in + before - 1) != word) {
			at++;
			continue;
		}
		size_t match = LZ4_MATCH_MIN, distance = at + 1 - before;
		while (at + match < len - LZ4_LITERALS_AT_END && in[at + match] == in[before - 1 + match]) {
			match++;
		}
		out = lz4_sequence(out, in + from, at - from, match, distance);
		at += match;
		from = at;
	}
	out = lz4_sequence(out, in + from, len - from, 0, 0);
	return (size_t) (out - begin);
}

/* A count of 15 goes on in bytes. False: they end too early, or it is more than `most`. */
static bool lz4_count(const uint8_t **in, const uint8_t *end, size_t *count, size_t most)
{
	uint8_t more;
	if (*count < 15) {
		return *count <= most;
	}
	do {
		if (*in == end) {
			return false;
		}
		more = *(*in)++;
		*count += more;
		if (*count > most) {
			return false;
		}
	} while (more == 255);
	return true;
}

bool php_leveret_lz4_decompress(const uint8_t *in, size_t len, uint8_t *out, size_t room)
{
	const uint8_t *end = in + len;
	uint8_t *begin = out, *limit = out + room;
	while (in < end) {
		uint8_t token = *in++;
		size_t count = token >> 4, match = token & 15;
		if (!lz4_count(&in, end, &count, (size_t) (limit - out)) || count > (size_t) (end - in)) {
			return false;
		}
		memcpy(out, in, count);
		in += count;
		out += count;
		if (in == end) {
			return out == limit;
		}
		if (end - in < 2) {
			return false;
		}
		size_t distance = (size_t) in[0] | (size_t) in[1] << 8;
		in += 2;
		if (!distance || distance > (size_t) (out - begin) || !lz4_count(&in, end, &match, (size_t) (limit - out))
			|| match + LZ4_MATCH_MIN > (size_t) (limit - out)) {
			return false;
		}
		for (match += LZ4_MATCH_MIN; match > 0; match--, out++) {
			*out = out[-(ptrdiff_t) distance];
		}
	}
	return false;
}

/* --- LZF --- */

#define LZF_LITERALS_MAX 32
#define LZF_DISTANCE_MAX 8192
#define LZF_MATCH_MIN 3
#define LZF_MATCH_MAX 264

/* NULL: there is no room. */
static uint8_t *lzf_literals(uint8_t *out, const uint8_t *limit, const uint8_t *literals, size_t count)
{
	while (count > 0) {
		size_t run = count < LZF_LITERALS_MAX ? count : LZF_LITERALS_MAX;
		if ((size_t) (limit - out) < run + 1) {
			return NULL;
		}
		*out++ = (uint8_t) (run - 1);
		memcpy(out, literals, run);
		out += run;
		literals += run;
		count -= run;
	}
	return out;
}

size_t php_leveret_lzf_compress(const uint8_t *in, size_t len, uint8_t *out, size_t room)
{
	uint32_t places[HASH_SIZE];
	size_t at = 0, from = 0;
	uint8_t *begin = out;
	const uint8_t *limit = out + room;
	memset(places, 0, sizeof(places));
	while (at + LZF_MATCH_MIN < len) {
		uint32_t word = (uint32_t) in[at] << 16 | (uint32_t) in[at + 1] << 8 | in[at + 2];
		uint32_t *place = &places[hash_of(word)];
		size_t before = *place;
		*place = (uint32_t) (at + 1);
		if (!before || at + 1 - before > LZF_DISTANCE_MAX || memcmp(in + before - 1, in + at, LZF_MATCH_MIN) != 0) {
			at++;
			continue;
		}
		size_t match = LZF_MATCH_MIN, distance = at - before; /* less one */
		while (match < LZF_MATCH_MAX && at + match < len && in[at + match] == in[before - 1 + match]) {
			match++;
		}
		out = lzf_literals(out, limit, in + from, at - from);
		if (!out || limit - out < 3) {
			return 0;
		}
		size_t told = match - 2;
		*out++ = (uint8_t) ((told < 7 ? told : 7) << 5 | distance >> 8);
		if (told >= 7) {
			*out++ = (uint8_t) (told - 7);
		}
		*out++ = (uint8_t) distance;
		at += match;
		from = at;
	}
	out = lzf_literals(out, limit, in + from, len - from);
	return out ? (size_t) (out - begin) : 0;
}

/* The match that a control byte above 31 begins; *in is moved behind it. False: it ends too early. */
static bool lzf_match(const uint8_t **in, const uint8_t *end, size_t *match, size_t *distance)
{
	uint8_t control = *(*in)++;
	*match = control >> 5;
	if (*match == 7) {
		if (*in == end) {
			return false;
		}
		*match += *(*in)++;
	}
	*match += 2;
	if (*in == end) {
		return false;
	}
	*distance = ((size_t) (control & 31) << 8 | *(*in)++) + 1;
	return true;
}

bool php_leveret_lzf_len(const uint8_t *in, size_t len, size_t *content)
{
	const uint8_t *end = in + len;
	*content = 0;
	while (in < end) {
		size_t match, distance;
		if (*in < LZF_LITERALS_MAX) {
			size_t run = (size_t) *in + 1;
			if ((size_t) (end - in) < run + 1) {
				return false;
			}
			in += run + 1;
			*content += run;
		} else if (!lzf_match(&in, end, &match, &distance) || distance > *content) {
			return false;
		} else {
			*content += match;
		}
	}
	return *content > 0;
}

void php_leveret_lzf_decompress(const uint8_t *in, size_t len, uint8_t *out)
{
	const uint8_t *end = in + len;
	while (in < end) {
		if (*in < LZF_LITERALS_MAX) {
			size_t run = (size_t) *in + 1;
			memcpy(out, in + 1, run);
			in += run + 1;
			out += run;
		} else {
			size_t match, distance;
			lzf_match(&in, end, &match, &distance);
			for (; match > 0; match--, out++) {
				*out = out[-(ptrdiff_t) distance];
			}
		}
	}
}
