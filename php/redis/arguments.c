/* redis/arguments.c: the letters of a row: what a method takes, and what of it is sent.
 *
 *   k  key, behind the prefix          v  value, serialized and compressed
 *   s  string                          z  any value, as text
 *   i  integer                         j  integer of 32 bits
 *   d  float                           b  true or false, as 1 or 0
 *   K  keys: one or more, or an array  V  values, one or more
 *   Z  any values, as text             S  the same, also none
 *   C  array of keys                   A  array of values
 *   L  array of any values, as text    m  array of values by key
 *   h  array of values by field        T  K, and a time-out behind them
 *
 * Before a letter: `|`, from here on nothing need be given, and what is not is not sent; `?`, null is as if it were not
 * given; `#`, the count of the array is sent before it. An array without elements ends the call: false, nothing sent. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

/* Value of a letter. */
typedef union slot {
	zend_string *string;
	zend_long number;
	double real;
	bool flag;
	zval *value;
} slot;

#define LETTERS_MAX 8

static bool is_of_rest(char letter)
{
	return letter == 'K' || letter == 'V' || letter == 'Z' || letter == 'S' || letter == 'T';
}

/* How many arguments the letters take; `most` is -1 for any number. */
static void count_letters(const char *letters, uint32_t *least, uint32_t *most)
{
	bool is_optional = false;
	*least = *most = 0;
	for (; *letters; letters++) {
		if (*letters == '|') {
			is_optional = true;
		} else if (is_of_rest(*letters)) {
			*least += *letters == 'S' ? 0 : *letters == 'T' ? 2 : 1;
			*most = (uint32_t) -1;
		} else if (*letters != '?' && *letters != '#') {
			*least += !is_optional;
			*most += 1;
		}
	}
}

/* The types are those of zend_parse_parameters(), and so are its errors. */
static bool parse_one(char letter, bool may_be_null, zval *argument, uint32_t number, slot *found, bool *is_null)
{
	zend_expected_type expected = Z_EXPECTED_STRING;
	bool is_good = true;
	*is_null = false;
	switch (letter) {
		case 'k':
		case 's':
			is_good = zend_parse_arg_str(argument, &found->string, may_be_null, number);
			*is_null = is_good && !found->string;
			expected = may_be_null ? Z_EXPECTED_STRING_OR_NULL : Z_EXPECTED_STRING;
			break;
		case 'i':
		case 'j':
			is_good = zend_parse_arg_long(argument, &found->number, is_null, may_be_null, number);
			expected = may_be_null ? Z_EXPECTED_LONG_OR_NULL : Z_EXPECTED_LONG;
			break;
		case 'd':
			is_good = zend_parse_arg_double(argument, &found->real, is_null, may_be_null, number);
			expected = Z_EXPECTED_DOUBLE;
			break;
		case 'b':
			is_good = zend_parse_arg_bool(argument, &found->flag, is_null, may_be_null, number);
			expected = Z_EXPECTED_BOOL;
			break;
		case 'C':
		case 'A':
		case 'L':
		case 'm':
		case 'h':
			is_good = Z_TYPE_P(argument) == IS_ARRAY;
			found->value = argument;
			expected = Z_EXPECTED_ARRAY;
			break;
		default:
			found->value = argument;
			break;
	}
	if (!is_good && !EG(exception)) {
		zend_wrong_parameter_type_error(number, expected, argument);
	}
	return is_good && !EG(exception);
}

static void add_array(redis_words *words, char letter, HashTable *array)
{
	zend_string *name;
	zend_ulong index;
	zval *value;
	ZEND_HASH_FOREACH_KEY_VAL(array, index, name, value) {
		ZVAL_DEREF(value);
		if (letter == 'm' || letter == 'h') {
			zend_string *text = name ? zend_string_copy(name) : zend_long_to_str((zend_long) index);
			if (letter == 'm') {
				php_leveret_redis_add_key(words, text);
			} else {
				php_leveret_redis_add_string(words, text);
			}
			zend_string_release(text);
			php_leveret_redis_add_value(words, value);
		} else if (letter == 'C' || letter == 'K') {
			php_leveret_redis_add_key_of(words, value);
		} else if (letter == 'A') {
			php_leveret_redis_add_value(words, value);
		} else {
			php_leveret_redis_add_text(words, value);
		}
	}
	ZEND_HASH_FOREACH_END();
}

/* The remaining arguments. */
static bool add_rest(redis_words *words, char letter, zval *arguments, uint32_t count)
{
	zval *timeout = NULL;
	if (letter == 'T') {
		timeout = &arguments[count - 1];
		if (Z_TYPE_P(timeout) != IS_LONG && Z_TYPE_P(timeout) != IS_DOUBLE) {
			php_error_docref(NULL, E_WARNING, "Timeout must be a long or double");
			return false;
		}
		count--;
	}
	if ((letter == 'T' || letter == 'K') && count == 1 && Z_TYPE(arguments[0]) == IS_ARRAY) {
		if (zend_hash_num_elements(Z_ARRVAL(arguments[0])) == 0) {
			return false;
		}
		add_array(words, 'K', Z_ARRVAL(arguments[0]));
	} else {
		for (uint32_t i = 0; i < count; i++) {
			if (letter == 'T' || letter == 'K') {
				php_leveret_redis_add_key_of(words, &arguments[i]);
			} else if (letter == 'V') {
				php_leveret_redis_add_value(words, &arguments[i]);
			} else {
				php_leveret_redis_add_text(words, &arguments[i]);
			}
		}
	}
	if (timeout && Z_TYPE_P(timeout) == IS_LONG) {
		php_leveret_redis_add_long(words, Z_LVAL_P(timeout));
	} else if (timeout) {
		php_leveret_redis_add_double(words, Z_DVAL_P(timeout));
	}
	return true;
}

static bool add_one(redis_words *words, char letter, bool is_counted, const slot *found)
{
	switch (letter) {
		case 'k':
			php_leveret_redis_add_key(words, found->string);
			return true;
		case 's':
			php_leveret_redis_add_string(words, found->string);
			return true;
		case 'i':
			php_leveret_redis_add_long(words, found->number);
			return true;
		case 'j':
			php_leveret_redis_add_long(words, (int32_t) found->number);
			return true;
		case 'd':
			php_leveret_redis_add_double(words, found->real);
			return true;
		case 'b':
			php_leveret_redis_add_long(words, found->flag);
			return true;
		case 'v':
			php_leveret_redis_add_value(words, found->value);
			return true;
		case 'z':
			php_leveret_redis_add_text(words, found->value);
			return true;
		default: {
			uint32_t count = zend_hash_num_elements(Z_ARRVAL_P(found->value));
			if (count == 0) {
				return false;
			}
			if (is_counted) {
				php_leveret_redis_add_long(words, count);
			}
			add_array(words, letter, Z_ARRVAL_P(found->value));
			return true;
		}
	}
}

bool php_leveret_redis_build_by_letters(INTERNAL_FUNCTION_PARAMETERS, redis_call *call)
{
	const char *letters = call->row->letters;
	slot found[LETTERS_MAX] = { 0 };
	bool is_null[LETTERS_MAX] = { 0 };
	uint32_t least, most, given = ZEND_NUM_ARGS(), number = 0;
	count_letters(letters, &least, &most);
	if (given < least || given > most) {
		zend_wrong_parameters_count_error(least, most);
		return false;
	}
	bool may_be_null = false;
	for (const char *at = letters; *at && number < given && !is_of_rest(*at); at++) {
		if (*at == '?') {
			may_be_null = true;
		} else if (*at != '|' && *at != '#') {
			if (!parse_one(*at, may_be_null, ZEND_CALL_ARG(execute_data, number + 1), number + 1, &found[number],
					&is_null[number])) {
				return false;
			}
			number++;
			may_be_null = false;
		}
	}
	bool is_counted = false;
	number = 0;
	for (const char *at = letters; *at; at++) {
		if (is_of_rest(*at)) {
			return add_rest(&call->words, *at, ZEND_CALL_ARG(execute_data, number + 1), given - number);
		}
		if (*at == '#') {
			is_counted = true;
		} else if (*at != '?' && *at != '|') {
			if (number >= given) {
				break;
			}
			if (!is_null[number] && !add_one(&call->words, *at, is_counted, &found[number])) {
				return false;
			}
			number++;
			is_counted = false;
		}
	}
	return true;
}
