/* codec/value.c: zval <-> bytes. Strings are stored as they are, integers as numbers that leveret_add_integer can
 * count, floats as their shortest text; arrays and objects by a serializer (codec/serializer.c). The item says how it
 * is encoded, not the configuration. What other entrances stored is read by codec/decode.c.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "value.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "base/globals.h"
#include "decoded/table.h"
#include "decode.h"
#include "serializer.h"

#include "zend_smart_str.h"

/* Serialized values of up to this length are read from C's stack. */
#define SMALL_LEN_MAX 1023
/* -1.2345678901234567E-308 has 24 characters. */
#define DOUBLE_LEN_MAX 31

static void encode_double(double value, php_leveret_encoded *out)
{
	smart_str text = { 0 };
	/* Precision -1 is the shortest text that reads back as the same float. */
	smart_str_append_double(&text, value, -1, false);
	out->meta.encoding = LEVERET_DOUBLE;
	out->owned = text.s;
	out->bytes = php_leveret_string(text.s);
}

bool php_leveret_encode(zval *value, bool of_apcu, php_leveret_encoded *out)
{
	ZVAL_DEREF(value);
	out->owned = NULL;
	out->meta = (leveret_meta) { .origin = LEVERET_NATIVE, .encoding = LEVERET_RAW };
	switch (Z_TYPE_P(value)) {
		case IS_STRING:
			out->bytes = php_leveret_string(Z_STR_P(value));
			return true;
		case IS_LONG:
			out->meta.encoding = LEVERET_INTEGER;
			out->integer = Z_LVAL_P(value);
			out->bytes = php_leveret_bytes(&out->integer, sizeof(out->integer));
			return true;
		case IS_DOUBLE:
			encode_double(Z_DVAL_P(value), out);
			return true;
		case IS_TRUE:
		case IS_FALSE:
			out->meta.encoding = LEVERET_BOOL;
			out->bytes = php_leveret_bytes("1", Z_TYPE_P(value) == IS_TRUE);
			return true;
		case IS_NULL:
			out->meta.encoding = LEVERET_NULL;
			out->bytes = php_leveret_bytes("", 0);
			return true;
		case IS_ARRAY:
		case IS_OBJECT:
			return php_leveret_serialize(value, of_apcu, out);
		default:
			php_error_docref(NULL, E_WARNING, "Cannot store resources in apcu cache");
			return false;
	}
}

void php_leveret_encoded_free(php_leveret_encoded *encoded)
{
	if (encoded->owned) {
		efree(encoded->owned);
	}
}

static zend_always_inline leveret_status value_read_string(
	leveret_arena *arena, leveret_bytes key, leveret_reading *reading, zval *return_value)
{
	leveret_status status;
	if (UNEXPECTED(reading->found.value_len <= 1)) {
		char byte = 0; /* PHP has each string of up to one byte ready-made */
		status = leveret_read_copy(arena, key, reading, &byte);
		if (reading->found.value_len == 0) {
			ZVAL_EMPTY_STRING(return_value);
		} else {
			ZVAL_INTERNED_STR(return_value, ZSTR_CHAR((unsigned char) byte));
		}
		return status;
	}
	zend_string *string;
	status = php_leveret_read_string(arena, key, reading, &string);
	if (EXPECTED(status == LEVERET_OK)) {
		ZVAL_NEW_STR(return_value, string);
	}
	return status;
}

static leveret_status read_bool(leveret_arena *arena, leveret_bytes key, leveret_reading *reading, zval *return_value)
{
	char byte;
	if (reading->found.value_len > 1) {
		return LEVERET_MISS;
	}
	ZVAL_BOOL(return_value, reading->found.value_len);
	return leveret_read_copy(arena, key, reading, &byte);
}

static leveret_status read_null(leveret_arena *arena, leveret_bytes key, leveret_reading *reading, zval *return_value)
{
	char byte;
	ZVAL_NULL(return_value);
	return reading->found.value_len ? LEVERET_MISS : leveret_read_copy(arena, key, reading, &byte);
}

static leveret_status value_read_double(
	leveret_arena *arena, leveret_bytes key, leveret_reading *reading, zval *return_value)
{
	char text[DOUBLE_LEN_MAX + 1];
	if (reading->found.value_len > DOUBLE_LEN_MAX) {
		return LEVERET_MISS;
	}
	leveret_status status = leveret_read_copy(arena, key, reading, text);
	if (status != LEVERET_OK) {
		return status;
	}
	text[reading->found.value_len] = '\0';
	ZVAL_DOUBLE(return_value, php_leveret_text_to_double(text));
	return LEVERET_OK;
}

/* APCu has no warning for this: its values are read by their own writer. Applications do not expect one from a fetch,
 * so it is logged once, and phpinfo shows the count. */
static void count_unreadable(const char *problem)
{
	if (LEVERET_G(apcu_unreadable)++ == 0 && !EG(exception)) {
		char line[256];
		snprintf(line, sizeof(line),
			"leveret: a stored value of apcu_* counts as missing, as others of this process will in silence: %s",
			problem);
		php_log_err(line);
	}
}

static leveret_status unreadable(leveret_arena *arena, php_leveret_decoding decoding, const char *problem)
{
	if (arena == LEVERET_G(apcu_arena)) {
		count_unreadable(problem);
	} else {
		php_leveret_decoding_failed(decoding, problem);
	}
	/* What makes exceptions of warnings has made one by now. */
	return EG(exception) ? LEVERET_FAILED : LEVERET_MISS;
}

/* User code may run only after the copy: then nothing is left that a longjmp could harm. */
static leveret_status read_serialized(
	leveret_arena *arena, leveret_bytes key, leveret_reading *reading, zval *return_value)
{
	char buffer[SMALL_LEN_MAX + 1];
	size_t len = reading->found.value_len;
	char *data = EXPECTED(len <= SMALL_LEN_MAX) ? buffer : emalloc(len + 1);
	leveret_status status = leveret_read_copy(arena, key, reading, data);
	if (EXPECTED(status == LEVERET_OK)) {
		data[len] = '\0';
		const char *problem;
		if (!php_leveret_unserialize(
				reading->found.meta.encoding, data, len, PHP_LEVERET_TRUSTED, return_value, &problem)) {
			status = unreadable(arena, PHP_LEVERET_NOT_UNSERIALIZED, problem);
		}
	}
	if (UNEXPECTED(data != buffer)) {
		efree(data);
	}
	return status;
}

/* Values stored by other entrances. */
static zend_never_inline leveret_status read_foreign(
	leveret_arena *arena, leveret_bytes key, leveret_reading *reading, zval *return_value)
{
	if (reading->found.meta.encoding == LEVERET_INTEGER && reading->found.is_number) {
		ZVAL_LONG(return_value, (zend_long) reading->found.number);
		return LEVERET_OK;
	}
	zend_string *data;
	leveret_status status = php_leveret_read_string(arena, key, reading, &data);
	if (UNEXPECTED(status != LEVERET_OK)) {
		return status;
	}
	const char *problem;
	int wanted = php_leveret_wants_msgpack(arena == LEVERET_G(apcu_arena)) ? PHP_LEVERET_MSGPACK_OBJECTS : 0;
	php_leveret_decoding decoding =
		php_leveret_decode(&reading->found.meta, LEVERET_NATIVE, data, wanted, return_value, &problem);
	return EXPECTED(decoding == PHP_LEVERET_DECODED) ? LEVERET_OK : unreadable(arena, decoding, problem);
}

/* OK | RETRY | LOST | MISS: the item is gone, or its bytes make no value | FAILED: an exception is pending. */
static zend_always_inline leveret_status value_read(
	leveret_arena *arena, leveret_bytes key, leveret_reading *reading, zval *return_value)
{
	/* The native entrances compress nothing, so their items are asked no more than this. */
	if (UNEXPECTED(reading->found.meta.origin != LEVERET_NATIVE)) {
		return read_foreign(arena, key, reading, return_value);
	}
	switch (reading->found.meta.encoding) {
		case LEVERET_INTEGER:
			if (EXPECTED(reading->found.is_number)) {
				ZVAL_LONG(return_value, (zend_long) reading->found.number);
				return LEVERET_OK;
			}
			return value_read_string(arena, key, reading, return_value);
		case LEVERET_DOUBLE:
			return value_read_double(arena, key, reading, return_value);
		case LEVERET_BOOL:
			return read_bool(arena, key, reading, return_value);
		case LEVERET_NULL:
			return read_null(arena, key, reading, return_value);
		case LEVERET_PHP:
		case LEVERET_IGBINARY:
		case LEVERET_MSGPACK:
			return read_serialized(arena, key, reading, return_value);
		default:
			/* Raw; or of a format that these entrances never write: its bytes. */
			return value_read_string(arena, key, reading, return_value);
	}
}

/* From a look-up's result to the value. */
static zend_always_inline php_leveret_fetch read_on(
	leveret_arena *arena, leveret_bytes key, leveret_status status, leveret_reading *reading, zval *return_value)
{
	if (EXPECTED(status == LEVERET_OK)) {
		do {
			status = value_read(arena, key, reading, return_value);
		} while (UNEXPECTED(status == LEVERET_RETRY));
		if (EXPECTED(status == LEVERET_OK)) {
			return PHP_LEVERET_HIT;
		}
	}
	ZVAL_UNDEF(return_value);
	if (status == LEVERET_LOST) {
		php_leveret_arena_lost(arena);
		return PHP_LEVERET_ERROR;
	}
	return status == LEVERET_FAILED ? PHP_LEVERET_ERROR : PHP_LEVERET_MISS;
}

/* `how`: whether the hash is known. */
static zend_always_inline php_leveret_fetch fetch(
	leveret_arena *arena, zend_string *key, uint32_t how, uint64_t hash, uint32_t now, zval *return_value)
{
	if (php_leveret_decoded_get(arena, PHP_LEVERET_NATIVE_VIEW, key, now, return_value)) {
		return PHP_LEVERET_HIT;
	}

	leveret_bytes name = php_leveret_string(key);
	leveret_reading reading;
	leveret_status found = leveret_read_begin(arena, name, how, hash, now, &reading);
	php_leveret_fetch fetched = read_on(arena, name, found, &reading, return_value);
	if (UNEXPECTED(fetched == PHP_LEVERET_HIT && Z_TYPE_P(return_value) == IS_ARRAY)) {
		php_leveret_decoded_offer(
			leveret_arena_number(arena), PHP_LEVERET_NATIVE_VIEW, key, &reading.found.version, Z_ARR_P(return_value));
	}
	return fetched;
}

php_leveret_fetch php_leveret_fetch_value(leveret_arena *arena, zend_string *key, uint32_t now, zval *return_value)
{
	return fetch(arena, key, 0, 0, now, return_value);
}

php_leveret_fetch php_leveret_fetch_hashed(
	leveret_arena *arena, zend_string *key, uint64_t hash, uint32_t now, zval *return_value)
{
	return fetch(arena, key, LEVERET_READ_HASHED, hash, now, return_value);
}

void php_leveret_ask_for(leveret_arena *arena, HashTable *keys, uint32_t from, uint64_t hashes[LEVERET_AHEAD])
{
	leveret_bytes names[LEVERET_AHEAD];
	uint32_t count = MIN(keys->nNumUsed - from, LEVERET_AHEAD);
	for (uint32_t i = 0; i < count; i++) {
		zval *key = ZEND_HASH_ELEMENT(keys, from + i);
		ZVAL_DEREF(key);
		names[i] = EXPECTED(Z_TYPE_P(key) == IS_STRING) ? php_leveret_string(Z_STR_P(key)) : php_leveret_bytes("", 0);
	}
	leveret_ask_for(arena, names, count, hashes);
}

uint32_t php_leveret_ask_for_names(leveret_arena *arena, HashTable *values, uint32_t *from)
{
	leveret_bytes names[LEVERET_AHEAD];
	uint64_t hashes[LEVERET_AHEAD];
	uint32_t count = 0;
	for (; *from < values->nNumUsed && count < LEVERET_AHEAD; (*from)++) {
		const Bucket *element = values->arData + *from;
		if (Z_TYPE(element->val) != IS_UNDEF) {
			names[count++] = EXPECTED(element->key) ? php_leveret_string(element->key) : php_leveret_bytes("", 0);
		}
	}
	leveret_ask_for(arena, names, count, hashes);
	return count;
}

php_leveret_fetch php_leveret_read(leveret_arena *arena, zend_string *key, leveret_reading *reading, zval *return_value)
{
	return read_on(arena, php_leveret_string(key), LEVERET_OK, reading, return_value);
}
