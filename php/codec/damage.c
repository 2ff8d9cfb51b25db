/* codec/damage.c: exceptions that say that data is damaged. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "damage.h"

#include "zend_exceptions.h"

static bool damage_is_word(const zval *text, const char *word)
{
	return text && Z_TYPE_P(text) == IS_STRING && zend_string_equals_cstr(Z_STR_P(text), word, strlen(word));
}

/* A call of the trace; NULL: there is none. */
static HashTable *call_of(const zval *trace, zend_ulong depth)
{
	zval *call = zend_hash_index_find(Z_ARRVAL_P(trace), depth);
	return call && Z_TYPE_P(call) == IS_ARRAY ? Z_ARRVAL_P(call) : NULL;
}

static const zval *function_of(const HashTable *call)
{
	return call ? zend_hash_str_find(call, "function", strlen("function")) : NULL;
}

/* The innermost call that threw it. NULL: unknown. From PHP 8.4 on the default of a property is a call, too. */
static HashTable *thrower(zend_object *thrown, zval *held)
{
	zend_class_entry *base = instanceof_function(thrown->ce, zend_ce_exception) ? zend_ce_exception : zend_ce_error;
	zval *trace = zend_read_property_ex(base, thrown, ZSTR_KNOWN(ZEND_STR_TRACE), true, held);
	HashTable *call = NULL;
	if (trace && Z_TYPE_P(trace) == IS_ARRAY) {
		zend_ulong depth = 0;
		do {
			call = call_of(trace, depth++);
		} while (damage_is_word(function_of(call), "[constant expression]"));
	}
	return call;
}

static bool is_of_php(const zval *class_name)
{
	const zend_class_entry *ce = class_name && Z_TYPE_P(class_name) == IS_STRING
		? zend_hash_str_find_ptr_lc(EG(class_table), Z_STRVAL_P(class_name), Z_STRLEN_P(class_name))
		: NULL;
	return ce && ce->type == ZEND_INTERNAL_CLASS;
}

/* The function that reads is the innermost one where PHP's reader has thrown by itself. */
static bool is_running(const zval *function)
{
	const zend_execute_data *now = EG(current_execute_data);
	return now && now->func && now->func->common.function_name
		&& damage_is_word(function, ZSTR_VAL(now->func->common.function_name));
}

bool php_leveret_take_damage(bool readable)
{
	zval held;
	ZVAL_UNDEF(&held);
	if (zend_is_unwind_exit(EG(exception)) || zend_is_graceful_exit(EG(exception))) {
		return false;
	}
	HashTable *call = thrower(EG(exception), &held);
	const zval *function = function_of(call);
	const zval *class_name = call ? zend_hash_str_find(call, "class", strlen("class")) : NULL;
	bool wakes = damage_is_word(function, "__wakeup") || damage_is_word(function, "__unserialize")
		|| damage_is_word(function, "unserialize");
	bool is_damage = (wakes && is_of_php(class_name))
		|| (!readable && is_running(function) && (!class_name || is_of_php(class_name)));
	zval_ptr_dtor(&held);
	if (is_damage) {
		zend_clear_exception();
	}
	return is_damage;
}
