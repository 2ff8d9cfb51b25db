/* codec/serializer.c: arrays and objects as bytes: plain ones in the compact form; the others by PHP's serializer or,
 * when that extension is loaded, igbinary's or msgpack's.
 *
 * The two are looked up by name in the module that is loaded, so that one leveret.so fits every machine.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "serializer.h"
#include "base/bytes.h"
#include "base/globals.h"
#include "compact_format.h"
#include "compact_objects.h"
#include "compact_read.h"
#include "compact_text.h"
#include "compact_write.h"
#include "cost.h"
#include "damage.h"
#include "decode.h"
#include "igbinary_check.h"
#include "igbinary_plain.h"
#include "msgpack_check.h"
#include "plain.h"
#include "value.h"

#include "ext/standard/basic_functions.h"
#include "ext/standard/php_var.h"
#include "zend_smart_str.h"

typedef int (*igbinary_serialize_fn)(uint8_t **bytes, size_t *len, zval *value);
typedef int (*igbinary_unserialize_fn)(const uint8_t *bytes, size_t len, zval *value);
typedef void (*msgpack_serialize_fn)(smart_str *bytes, zval *value);
typedef zend_result (*msgpack_unserialize_fn)(zval *value, char *bytes, size_t len);

/* Which modules are loaded is decided before the first request and the same for all threads: looked up in MINIT. */
static struct {
	bool looked;
	igbinary_serialize_fn igbinary_serialize;
	igbinary_unserialize_fn igbinary_unserialize;
	msgpack_serialize_fn msgpack_serialize;
	msgpack_unserialize_fn msgpack_unserialize;
} found;

static void *symbol(const char *module_name, const char *name)
{
	zend_module_entry *module = zend_hash_str_find_ptr(&module_registry, module_name, strlen(module_name));
	return module ? DL_FETCH_SYMBOL(module->handle, name) : NULL;
}

static void look(void)
{
	if (EXPECTED(found.looked)) {
		return;
	}
	found.igbinary_serialize = (igbinary_serialize_fn) symbol("igbinary", "igbinary_serialize");
	found.igbinary_unserialize = (igbinary_unserialize_fn) symbol("igbinary", "igbinary_unserialize");
	found.msgpack_serialize = (msgpack_serialize_fn) symbol("msgpack", "php_msgpack_serialize");
	found.msgpack_unserialize = (msgpack_unserialize_fn) symbol("msgpack", "php_msgpack_unserialize");
	found.looked = true;
}

static bool has_igbinary(void)
{
	look();
	return found.igbinary_serialize && found.igbinary_unserialize;
}

static bool has_msgpack(void)
{
	look();
	return found.msgpack_serialize && found.msgpack_unserialize;
}

/* Neither igbinary nor msgpack can be told which classes to make, so a list of allowed classes leaves PHP's own format
 * only. */
static bool restricted(void)
{
	return LEVERET_G(allowed_classes_text) && *LEVERET_G(allowed_classes_text);
}

static bool is_known(const char *name)
{
	return strcmp(name, "php") == 0 || strcmp(name, "igbinary") == 0 || strcmp(name, "msgpack") == 0;
}

/* The value of apc.serializer; NULL: the module apcu is not provided, or with `if_set`, the setting has its default. */
static const char *serializer_of_apc(bool if_set)
{
	return LEVERET_G(apcu_serializer_is_set) || !if_set ? LEVERET_G(apcu_serializer) : NULL;
}

/* leveret.serializer=auto: apcu_* follow apc.serializer, or its default, since other processes may lack the igbinary of
 * this one. An explicit apc.serializer also applies to Leveret\Cache. */
static const char *chosen_name(bool of_apcu)
{
	const char *ours = LEVERET_G(serializer), *of_apc = serializer_of_apc(!of_apcu);
	if (strcmp(ours, "auto") != 0) {
		return ours;
	}
	return of_apc && is_known(of_apc) ? of_apc : of_apcu ? "php" : ours;
}

static leveret_encoding chosen(bool of_apcu)
{
	const char *name = chosen_name(of_apcu);
	if (restricted() || strcmp(name, "php") == 0) {
		return LEVERET_PHP;
	}
	if (strcmp(name, "msgpack") == 0 && has_msgpack()) {
		return LEVERET_MSGPACK;
	}
	if (strcmp(name, "msgpack") != 0 && has_igbinary()) {
		return LEVERET_IGBINARY;
	}
	if (strcmp(name, "auto") != 0 && !LEVERET_G(serializer_logged)) {
		char line[128];
		snprintf(line, sizeof(line),
			"leveret: the serializer to use is %s, but that extension is not loaded: PHP's serializer is used", name);
		php_log_err(line);
		LEVERET_G(serializer_logged) = true;
	}
	return LEVERET_PHP;
}

/* serialize() and unserialize() calls of user code within ours must number their back references on their own: so the
 * lock. */
static void php_serialize(smart_str *bytes, zval *value)
{
	php_serialize_data_t state;
	BG(serialize_lock)++;
	PHP_VAR_SERIALIZE_INIT(state);
	php_var_serialize(bytes, value, &state);
	PHP_VAR_SERIALIZE_DESTROY(state);
	BG(serialize_lock)--;
}

/* Lower-case names of leveret.allowed_classes in the format of php_var_unserialize. "-" allows none. */
static HashTable *allowed_classes(void)
{
	if (!restricted() || LEVERET_G(allowed_classes)) {
		return LEVERET_G(allowed_classes);
	}
	HashTable *classes = pemalloc(sizeof(*classes), 1);
	zend_hash_init(classes, 8, NULL, NULL, 1);
	for (const char *at = LEVERET_G(allowed_classes_text); *at;) {
		size_t skip = strspn(at, ", \t");
		size_t len = strcspn(at + skip, ", \t");
		const char *name = at + skip + (at[skip] == '\\'); /* a leading backslash is no part of a class's name */
		size_t name_len = len - (at[skip] == '\\');
		if (name_len && !(name_len == 1 && *name == '-')) {
			zend_string *lower = zend_string_alloc(name_len, 1);
			zend_str_tolower_copy(ZSTR_VAL(lower), name, name_len);
			zend_hash_add_empty_element(classes, lower);
			zend_string_release(lower);
		}
		at += skip + len;
	}
	LEVERET_G(allowed_classes) = classes;
	return classes;
}

void php_leveret_allowed_classes_free(zend_leveret_globals *globals)
{
	if (globals->allowed_classes) {
		zend_hash_destroy(globals->allowed_classes);
		pefree(globals->allowed_classes, 1);
		globals->allowed_classes = NULL;
	}
}

static bool php_unserialize(const char *data, size_t len, zval *return_value)
{
	const unsigned char *at = (const unsigned char *) data;
	php_unserialize_data_t state;
	ZVAL_UNDEF(return_value);
	BG(serialize_lock)++;
	PHP_VAR_UNSERIALIZE_INIT(state);
	if (UNEXPECTED(restricted())) {
		php_var_unserialize_set_allowed_classes(state, allowed_classes());
	}
	bool readable = php_var_unserialize(return_value, &at, at + len, &state);
	/* Runs the delayed __unserialize and __wakeup calls. */
	PHP_VAR_UNSERIALIZE_DESTROY(state);
	BG(serialize_lock)--;
	return readable;
}

bool php_leveret_wants_msgpack(bool of_apcu)
{
	return chosen(of_apcu) == LEVERET_MSGPACK;
}

/* No serializer is configured. */
static bool is_left_to_us(void)
{
	const char *of_apc = serializer_of_apc(true);
	return strcmp(LEVERET_G(serializer), "auto") == 0 && !(of_apc && is_known(of_apc));
}

/* The item says that it is PHP's: a program that does not know the compact form takes it for damaged. */
static bool write_compact(const zval *value, php_leveret_encoded *out)
{
	size_t len;
	uint8_t *block = php_leveret_compact_write(value, &len);
	if (UNEXPECTED(!block)) {
		return false;
	}
	out->owned = block;
	out->bytes = php_leveret_bytes(block, len);
	out->meta.encoding = LEVERET_PHP;
	return true;
}

/* Objects that are more than their properties by now, or whose class is not there. */
static bool unserialize_compact(const char *data, size_t len, zval *return_value)
{
	zend_string *text = php_leveret_compact_text(data, len);
	if (!text) {
		return false;
	}
	bool readable = php_unserialize(ZSTR_VAL(text), ZSTR_LEN(text), return_value);
	zend_string_release(text);
	return readable;
}

static bool read_compact(const char *data, size_t len, zval *return_value)
{
	php_leveret_compact read = php_leveret_compact_read(data, len, UNEXPECTED(restricted()) ? allowed_classes() : NULL,
		&php_leveret_compact_objects_of_php, return_value);
	return read == PHP_LEVERET_COMPACT_READ
		|| (read == PHP_LEVERET_COMPACT_FOR_PHP && unserialize_compact(data, len, return_value));
}

bool php_leveret_serialize(zval *value, bool of_apcu, php_leveret_encoded *out)
{
	if (is_left_to_us() && write_compact(value, out)) {
		return true;
	}
	return php_leveret_serialize_as(chosen(of_apcu), value, out);
}

bool php_leveret_has_serializer(leveret_encoding encoding)
{
	return encoding == LEVERET_PHP || (encoding == LEVERET_IGBINARY && has_igbinary())
		|| (encoding == LEVERET_MSGPACK && has_msgpack());
}

bool php_leveret_serialize_as(leveret_encoding encoding, zval *value, php_leveret_encoded *out)
{
	smart_str bytes = { 0 };
	uint8_t *block = NULL;
	size_t len = 0;
	bool failed = false;
	/* Held: user code (__serialize) may assign something else where the script has a reference to it. */
	zval held;

	ZVAL_COPY(&held, value);
	if (encoding == LEVERET_IGBINARY) {
		failed = found.igbinary_serialize(&block, &len, &held) != 0;
	} else {
		if (encoding == LEVERET_MSGPACK) {
			found.msgpack_serialize(&bytes, &held);
		} else {
			php_serialize(&bytes, &held);
		}
		failed = !bytes.s;
		block = (uint8_t *) bytes.s;
		len = bytes.s ? ZSTR_LEN(bytes.s) : 0;
	}
	zval_ptr_dtor(&held);
	if (UNEXPECTED(failed || EG(exception))) {
		if (block) {
			efree(block);
		}
		if (!EG(exception)) {
			php_error_docref(NULL, E_WARNING, "The value cannot be serialized");
		}
		return false;
	}
	out->owned = block;
	out->bytes = php_leveret_bytes(bytes.s ? (void *) ZSTR_VAL(bytes.s) : block, len);
	out->meta.encoding = encoding;
	return true;
}

bool php_leveret_unserialize(
	uint8_t encoding, const char *data, size_t len, int wanted, zval *return_value, const char **problem)
{
	/* What the first reader has no memory for, the second has none for either: it takes more. */
	bool readable = false, is_short = false;
	*problem = "the data is damaged, or longer than memory_limit allows";
	ZVAL_UNDEF(return_value);
	bool is_trusted = wanted & PHP_LEVERET_TRUSTED;
	bool is_compact = EXPECTED(encoding == LEVERET_PHP) && php_leveret_is_compact(data, len);
	size_t cost_max = EXPECTED(is_compact) ? 0 : php_leveret_cost_max(len, is_trusted);

	if (EXPECTED(is_compact)) {
		/* It never leaves this host: the same bytes from elsewhere are damaged. */
		readable = is_trusted && read_compact(data, len, return_value);
	} else if (encoding == LEVERET_PHP) {
		readable = php_leveret_read_plain(data, len, cost_max, return_value, &is_short)
			|| (!is_short && php_leveret_php_fits(data, len, is_trusted, cost_max)
				&& php_unserialize(data, len, return_value));
	} else if (restricted()) {
		*problem = "it is of igbinary or msgpack, which cannot keep to leveret.allowed_classes";
	} else if (encoding == LEVERET_IGBINARY && has_igbinary()) {
		readable = php_leveret_read_igbinary_plain(data, len, cost_max, return_value, &is_short)
			|| (!is_short && php_leveret_igbinary_check(data, len, cost_max)
				&& found.igbinary_unserialize((const uint8_t *) data, len, return_value) == 0);
	} else if (encoding == LEVERET_MSGPACK && has_msgpack()) {
		/* However short: see there what msgpack makes of maps. */
		cost_max = php_leveret_cost_max(SIZE_MAX, is_trusted);
		readable =
			php_leveret_msgpack_check(data, len, wanted & (PHP_LEVERET_TRUSTED | PHP_LEVERET_MSGPACK_OBJECTS), cost_max)
			&& found.msgpack_unserialize(return_value, (char *) data, len) == SUCCESS;
	} else {
		*problem = encoding == LEVERET_IGBINARY ? "the extension igbinary is not loaded"
												: "the extension msgpack is not loaded";
	}

	if (UNEXPECTED(is_short)) {
		/* Frees the parts made until then, for values of any size. */
		zend_mm_gc(zend_mm_get_heap());
	}
	if (EXPECTED(readable && !EG(exception))) {
		/* So it is where something in the value is a reference to the whole. */
		if (UNEXPECTED(Z_ISREF_P(return_value))) {
			zend_unwrap_reference(return_value);
		}
		return true;
	}
	zval_ptr_dtor(return_value);
	ZVAL_UNDEF(return_value);
	if (EG(exception) && !php_leveret_take_damage(readable) && readable) {
		*problem = NULL;
	}
	return false;
}

const char *php_leveret_serializers(void)
{
	if (has_igbinary()) {
		return has_msgpack() ? "php, igbinary, msgpack" : "php, igbinary";
	}
	return has_msgpack() ? "php, msgpack" : "php";
}
