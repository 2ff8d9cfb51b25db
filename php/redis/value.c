/* redis/value.c: values as bytes: serializers and compression, in the formats of php-redis. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"
#include "base/text.h"
#include "codec/cost.h"
#include "codec/decode.h"
#include "compress.h"

#include "ext/json/php_json.h"
#include "zend_exceptions.h"

/* --- serializers --- */

static leveret_encoding encoding_of(int serializer)
{
	return serializer == REDIS_SERIALIZER_IGBINARY ? LEVERET_IGBINARY
		: serializer == REDIS_SERIALIZER_MSGPACK   ? LEVERET_MSGPACK
												   : LEVERET_PHP;
}

/* Without a serializer: arrays and objects become fixed words. */
static zend_string *plain(zval *value)
{
	ZVAL_DEREF(value);
	switch (Z_TYPE_P(value)) {
		case IS_OBJECT:
			return zend_string_init("Object", strlen("Object"), 0);
		case IS_ARRAY:
			return zend_string_init("Array", strlen("Array"), 0);
		default:
			return zval_get_string(value);
	}
}

zend_string *php_leveret_redis_serialize(redis_object *self, zval *value)
{
	if (self->serializer == REDIS_SERIALIZER_NONE) {
		return plain(value);
	}
	if (self->serializer == REDIS_SERIALIZER_JSON) {
		smart_str text = { 0 };
		/* The original passes PHP_JSON_OBJECT_AS_ARRAY, which is the number of PHP_JSON_HEX_TAG. */
		php_json_encode(&text, value, PHP_JSON_HEX_TAG);
		if (!text.s) {
			return ZSTR_EMPTY_ALLOC();
		}
		ZSTR_VAL(text.s)[ZSTR_LEN(text.s)] = '\0';
		return text.s;
	}
	php_leveret_encoded encoded = { 0 };
	if (!php_leveret_serialize_as(encoding_of(self->serializer), value, &encoded)) {
		return NULL;
	}
	zend_string *text = zend_string_init((const char *) encoded.bytes.data, encoded.bytes.len, 0);
	php_leveret_encoded_free(&encoded);
	return text;
}

bool php_leveret_redis_unserialize(redis_object *self, zend_string *data, zval *value)
{
	const char *problem;
	switch (self->serializer) {
		case REDIS_SERIALIZER_NONE:
			return false;
		case REDIS_SERIALIZER_JSON:
			return php_json_decode(value, ZSTR_VAL(data), (int) ZSTR_LEN(data), true, PHP_JSON_PARSER_DEFAULT_DEPTH)
				== SUCCESS;
		case REDIS_SERIALIZER_IGBINARY:
			/* A text that is no igbinary at all is given as it is, without a word. */
			if (ZSTR_LEN(data) < 5 || memcmp(ZSTR_VAL(data), "\0\0\0", 3) != 0 || ZSTR_VAL(data)[3] < 1
				|| ZSTR_VAL(data)[3] > 4) {
				return false;
			}
			break;
		default:
			break;
	}
	return php_leveret_unserialize((uint8_t) encoding_of(self->serializer), ZSTR_VAL(data), ZSTR_LEN(data),
		PHP_LEVERET_MSGPACK_OBJECTS, value, &problem);
}

/* --- both --- */

zend_string *php_leveret_redis_pack(redis_object *self, zval *value)
{
	ZVAL_DEREF(value);
	if (self->ignores_numbers && (Z_TYPE_P(value) == IS_LONG || Z_TYPE_P(value) == IS_DOUBLE)) {
		return zval_get_string(value);
	}
	zend_string *text = php_leveret_redis_serialize(self, value);
	if (!text || self->compression == REDIS_COMPRESSION_NONE) {
		return text;
	}
	zend_string *packed =
		php_leveret_redis_compress(self->compression, self->compression_level, ZSTR_VAL(text), ZSTR_LEN(text));
	if (!packed) {
		return text;
	}
	zend_string_release(text);
	return packed;
}

/* A number that OPT_PACK_IGNORE_NUMBERS has let pass; longer texts are none. */
#define NUMBER_MAX 512

bool php_leveret_redis_unpack(redis_object *self, zend_string *data, zval *value)
{
	bool is_packed = self->serializer != REDIS_SERIALIZER_NONE || self->compression != REDIS_COMPRESSION_NONE;
	if (EXPECTED(!is_packed)) {
		return false;
	}
	if (self->ignores_numbers && ZSTR_LEN(data) > 0 && ZSTR_LEN(data) < NUMBER_MAX) {
		zend_long number;
		double real;
		switch (is_numeric_string(ZSTR_VAL(data), ZSTR_LEN(data), &number, &real, false)) {
			case IS_LONG:
				ZVAL_LONG(value, number);
				return true;
			case IS_DOUBLE:
				ZVAL_DOUBLE(value, real);
				return true;
		}
	}
	bool is_too_large;
	zend_string *opened = self->compression == REDIS_COMPRESSION_NONE
		? NULL
		: php_leveret_redis_uncompress(self->compression, ZSTR_VAL(data), ZSTR_LEN(data), &is_too_large);
	if (!opened) {
		return php_leveret_redis_unserialize(self, data, value);
	}
	if (php_leveret_redis_unserialize(self, opened, value)) {
		zend_string_release(opened);
	} else {
		ZVAL_STR(value, opened);
	}
	return true;
}

/* --- compression --- */

/* zstd in front of which the codec of leveret.h has the length: the original writes the frame alone. */
#define LENGTH_SIZE 4
#define ZSTD_LEVEL_DEFAULT 3
#define ZSTD_LEVEL_MAX 22

bool php_leveret_redis_has_compression(zend_long compression)
{
	return compression == REDIS_COMPRESSION_NONE || compression == REDIS_COMPRESSION_LZF
		|| compression == REDIS_COMPRESSION_LZ4
		|| (compression == REDIS_COMPRESSION_ZSTD && leveret_has_codec(LEVERET_CODEC_ZSTD));
}

static zend_string *zstd_compress(zend_long level, const char *data, size_t len)
{
	size_t room = len + len / 128 + 512 + LENGTH_SIZE;
	zend_string *packed = zend_string_alloc(room, 0);
	int32_t used = (int32_t) (level < 1 ? ZSTD_LEVEL_DEFAULT : MIN(level, ZSTD_LEVEL_MAX));
	if (leveret_compress(LEVERET_CODEC_ZSTD, php_leveret_bytes(data, len), used, ZSTR_VAL(packed), &room) != 0
		|| room < LENGTH_SIZE) {
		zend_string_efree(packed);
		return NULL;
	}
	zend_string *frame = zend_string_init(ZSTR_VAL(packed) + LENGTH_SIZE, room - LENGTH_SIZE, 0);
	zend_string_efree(packed);
	return frame;
}

/* The length that a zstd frame tells in its header; false: it tells none. */
static bool zstd_len(const unsigned char *data, size_t len, uint64_t *content)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	static const unsigned char dictionary_sizes[] = { 0, 1, 2, 4 };
	if (len < 6 || memcmp(data, magic, sizeof(magic)) != 0) {
		return false;
	}
	unsigned descriptor = data[4], code = descriptor >> 6, is_single = (descriptor >> 5) & 1;
	size_t at = 5 + !is_single + dictionary_sizes[descriptor & 3], size = code ? (size_t) 1 << code : is_single;
	if (!size || len < at + size) {
		return false;
	}
	*content = 0;
	for (size_t i = 0; i < size; i++) {
		*content |= (uint64_t) data[at + i] << (8 * i);
	}
	*content += size == 2 ? 256 : 0;
	return true;
}

/* Whether memory_limit leaves room for a value of that length. */
static bool fits(uint64_t len, bool *is_too_large)
{
	*is_too_large = len > INT_MAX || php_leveret_string_cost((size_t) len) > php_leveret_memory_left_for_block();
	return !*is_too_large;
}

static zend_string *zstd_uncompress(const char *data, size_t len, bool *is_too_large)
{
	uint64_t content;
	if (!zstd_len((const unsigned char *) data, len, &content) || !fits(content, is_too_large)) {
		return NULL;
	}
	zend_string *stored = zend_string_alloc(len + LENGTH_SIZE, 0), *opened = NULL;
	uint32_t told = (uint32_t) content;
	size_t promised;
	memcpy(ZSTR_VAL(stored), &told, LENGTH_SIZE);
	memcpy(ZSTR_VAL(stored) + LENGTH_SIZE, data, len);
	leveret_bytes bytes = php_leveret_bytes(ZSTR_VAL(stored), ZSTR_LEN(stored));
	if (leveret_decompressed_len(LEVERET_CODEC_ZSTD, bytes, (size_t) content, &promised) == 0) {
		opened = zend_string_alloc(promised, 0);
		ZSTR_VAL(opened)[promised] = '\0';
		if (leveret_decompress(LEVERET_CODEC_ZSTD, bytes, ZSTR_VAL(opened), promised) != 0) {
			zend_string_efree(opened);
			opened = NULL;
		}
	}
	zend_string_efree(stored);
	return opened;
}

/* LZ4: a checksum of the length, the length, and the block. */
#define LZ4_HEADER 5

static uint8_t checksum_of(const uint8_t *data, size_t len)
{
	uint8_t sum = 0xff;
	while (len--) {
		sum ^= *data++;
		for (int bit = 0; bit < 8; bit++) {
			sum = (uint8_t) (sum & 0x80 ? (sum << 1) ^ 0x31 : sum << 1);
		}
	}
	return sum;
}

static zend_string *lz4_compress(const char *data, size_t len)
{
	if (len < 1 || len > INT_MAX) {
		return NULL;
	}
	int32_t told = (int32_t) len;
	zend_string *packed = zend_string_alloc(LZ4_HEADER + php_leveret_lz4_bound(len), 0);
	ZSTR_VAL(packed)[0] = (char) checksum_of((const uint8_t *) &told, sizeof(told));
	memcpy(ZSTR_VAL(packed) + 1, &told, sizeof(told));
	ZSTR_LEN(packed) =
		LZ4_HEADER + php_leveret_lz4_compress((const uint8_t *) data, len, (uint8_t *) ZSTR_VAL(packed) + LZ4_HEADER);
	ZSTR_VAL(packed)[ZSTR_LEN(packed)] = '\0';
	return packed;
}

static zend_string *lz4_uncompress(const char *data, size_t len, bool *is_too_large)
{
	int32_t told;
	if (len < LZ4_HEADER) {
		return NULL;
	}
	memcpy(&told, data + 1, sizeof(told));
	/* A block is at least a 255th of its contents. */
	if (told < 0 || checksum_of((const uint8_t *) &told, sizeof(told)) != (uint8_t) *data
		|| (uint64_t) told > (uint64_t) (len - LZ4_HEADER) * 255 || !fits((uint64_t) told, is_too_large)) {
		return NULL;
	}
	zend_string *opened = zend_string_alloc((size_t) told, 0);
	ZSTR_VAL(opened)[told] = '\0';
	if (!php_leveret_lz4_decompress(
			(const uint8_t *) data + LZ4_HEADER, len - LZ4_HEADER, (uint8_t *) ZSTR_VAL(opened), (size_t) told)) {
		zend_string_efree(opened);
		return NULL;
	}
	return opened;
}

static zend_string *lzf_compress(const char *data, size_t len)
{
	/* What pecl/lzf leaves for data that grow. */
	size_t room = len + MAX((size_t) 128, len / 25);
	zend_string *packed = zend_string_alloc(room, 0);
	size_t used = php_leveret_lzf_compress((const uint8_t *) data, len, (uint8_t *) ZSTR_VAL(packed), room);
	if (!used) {
		zend_string_efree(packed);
		return NULL;
	}
	ZSTR_LEN(packed) = used;
	ZSTR_VAL(packed)[used] = '\0';
	return packed;
}

static zend_string *lzf_uncompress(const char *data, size_t len, bool *is_too_large)
{
	size_t content;
	if (!php_leveret_lzf_len((const uint8_t *) data, len, &content) || !fits(content, is_too_large)) {
		return NULL;
	}
	zend_string *opened = zend_string_alloc(content, 0);
	ZSTR_VAL(opened)[content] = '\0';
	php_leveret_lzf_decompress((const uint8_t *) data, len, (uint8_t *) ZSTR_VAL(opened));
	return opened;
}

zend_string *php_leveret_redis_compress(int compression, zend_long level, const char *data, size_t len)
{
	switch (compression) {
		case REDIS_COMPRESSION_LZF:
			return lzf_compress(data, len);
		case REDIS_COMPRESSION_ZSTD:
			return zstd_compress(level, data, len);
		case REDIS_COMPRESSION_LZ4:
			return lz4_compress(data, len);
		default:
			return NULL;
	}
}

zend_string *php_leveret_redis_uncompress(int compression, const char *data, size_t len, bool *is_too_large)
{
	switch (compression) {
		case REDIS_COMPRESSION_LZF:
			return lzf_uncompress(data, len, is_too_large);
		case REDIS_COMPRESSION_ZSTD:
			return zstd_uncompress(data, len, is_too_large);
		case REDIS_COMPRESSION_LZ4:
			return lz4_uncompress(data, len, is_too_large);
		default:
			return NULL;
	}
}

/* --- the methods --- */

PHP_METHOD(Redis, _prefix)
{
	zend_string *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	RETURN_STR(php_leveret_redis_full_key(self, key));
}

static void give_packed(INTERNAL_FUNCTION_PARAMETERS, zend_string *(*pack)(redis_object *self, zval *value))
{
	zval *value;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	zend_string *packed = pack(self, value);
	if (!packed) {
		RETURN_EMPTY_STRING();
	}
	RETURN_STR(packed);
}

/* clang-format off */
PHP_METHOD(Redis, _serialize) { give_packed(INTERNAL_FUNCTION_PARAM_PASSTHRU, php_leveret_redis_serialize); }
PHP_METHOD(Redis, _pack) { give_packed(INTERNAL_FUNCTION_PARAM_PASSTHRU, php_leveret_redis_pack); }
/* clang-format on */

PHP_METHOD(Redis, _unserialize)
{
	zend_string *data;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(data)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	if (self->serializer == REDIS_SERIALIZER_NONE) {
		RETURN_STR_COPY(data);
	}
	zval value;
	if (php_leveret_redis_unserialize(self, data, &value)) {
		RETURN_COPY_VALUE(&value);
	}
	php_leveret_redis_throw("Invalid serialized data, or unserialization error");
}

PHP_METHOD(Redis, _unpack)
{
	zend_string *data;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(data)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	zval value;
	if (php_leveret_redis_unpack(self, data, &value)) {
		RETURN_COPY_VALUE(&value);
	}
	RETURN_STR_COPY(data);
}

PHP_METHOD(Redis, _compress)
{
	zend_string *data;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(data)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	zend_string *packed =
		php_leveret_redis_compress(self->compression, self->compression_level, ZSTR_VAL(data), ZSTR_LEN(data));
	if (packed) {
		RETURN_STR(packed);
	}
	RETURN_STR_COPY(data);
}

PHP_METHOD(Redis, _uncompress)
{
	zend_string *data;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(data)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	if (ZSTR_LEN(data) == 0 || self->compression == REDIS_COMPRESSION_NONE) {
		RETURN_STR_COPY(data);
	}
	bool is_too_large;
	zend_string *opened =
		php_leveret_redis_uncompress(self->compression, ZSTR_VAL(data), ZSTR_LEN(data), &is_too_large);
	if (opened) {
		RETURN_STR(opened);
	}
	php_leveret_redis_throw("Invalid compressed data or uncompression error");
}
