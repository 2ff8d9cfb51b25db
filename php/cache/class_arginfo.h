/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 7ea3a5ad9f1aea8c47fadb01cb0bdd5fa113da9f */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Leveret_Item___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Leveret_Cache___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, arena, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_get, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_getMultiple, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, keys, Traversable, MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Leveret_Cache_getItem, 0, 1, Leveret\\Item, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_set, 0, 2, IS_TRUE, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_setMultiple, 0, 1, IS_TRUE, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, values, Traversable, MAY_BE_ARRAY, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_add, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Leveret_Cache_replace arginfo_class_Leveret_Cache_add

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_cas, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, cas, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_deleteMultiple, 0, 1, IS_LONG, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, keys, Traversable, MAY_BE_ARRAY, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_Leveret_Cache_has arginfo_class_Leveret_Cache_delete

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_increment, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, step, IS_LONG, 0, "1")
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Leveret_Cache_decrement arginfo_class_Leveret_Cache_increment

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_touch, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_remember, 0, 3, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO(0, compute, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_clear, 0, 0, IS_TRUE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Leveret_Cache_getIterator, 0, 0, Iterator, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Leveret_Cache_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()


ZEND_METHOD(Leveret_Item, __construct);
ZEND_METHOD(Leveret_Cache, __construct);
ZEND_METHOD(Leveret_Cache, get);
ZEND_METHOD(Leveret_Cache, getMultiple);
ZEND_METHOD(Leveret_Cache, getItem);
ZEND_METHOD(Leveret_Cache, set);
ZEND_METHOD(Leveret_Cache, setMultiple);
ZEND_METHOD(Leveret_Cache, add);
ZEND_METHOD(Leveret_Cache, replace);
ZEND_METHOD(Leveret_Cache, cas);
ZEND_METHOD(Leveret_Cache, delete);
ZEND_METHOD(Leveret_Cache, deleteMultiple);
ZEND_METHOD(Leveret_Cache, has);
ZEND_METHOD(Leveret_Cache, increment);
ZEND_METHOD(Leveret_Cache, decrement);
ZEND_METHOD(Leveret_Cache, touch);
ZEND_METHOD(Leveret_Cache, remember);
ZEND_METHOD(Leveret_Cache, clear);
ZEND_METHOD(Leveret_Cache, getIterator);
ZEND_METHOD(Leveret_Cache, stats);


static const zend_function_entry class_Leveret_Exception_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_ArenaException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_KeyTooLongException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_ValueTooLargeException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_UnsupportedValueException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_NotAnIntegerException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_NoMemoryException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_BusyException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_Item_methods[] = {
	ZEND_ME(Leveret_Item, __construct, arginfo_class_Leveret_Item___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Leveret_Cache_methods[] = {
	ZEND_ME(Leveret_Cache, __construct, arginfo_class_Leveret_Cache___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, get, arginfo_class_Leveret_Cache_get, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, getMultiple, arginfo_class_Leveret_Cache_getMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, getItem, arginfo_class_Leveret_Cache_getItem, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, set, arginfo_class_Leveret_Cache_set, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, setMultiple, arginfo_class_Leveret_Cache_setMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, add, arginfo_class_Leveret_Cache_add, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, replace, arginfo_class_Leveret_Cache_replace, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, cas, arginfo_class_Leveret_Cache_cas, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, delete, arginfo_class_Leveret_Cache_delete, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, deleteMultiple, arginfo_class_Leveret_Cache_deleteMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, has, arginfo_class_Leveret_Cache_has, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, increment, arginfo_class_Leveret_Cache_increment, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, decrement, arginfo_class_Leveret_Cache_decrement, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, touch, arginfo_class_Leveret_Cache_touch, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, remember, arginfo_class_Leveret_Cache_remember, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, clear, arginfo_class_Leveret_Cache_clear, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, getIterator, arginfo_class_Leveret_Cache_getIterator, ZEND_ACC_PUBLIC)
	ZEND_ME(Leveret_Cache, stats, arginfo_class_Leveret_Cache_stats, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Leveret_Exception(zend_class_entry *class_entry_RuntimeException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "Exception", class_Leveret_Exception_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);

	return class_entry;
}

static zend_class_entry *register_class_Leveret_ArenaException(zend_class_entry *class_entry_Leveret_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "ArenaException", class_Leveret_ArenaException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Leveret_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Leveret_KeyTooLongException(zend_class_entry *class_entry_Leveret_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "KeyTooLongException", class_Leveret_KeyTooLongException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Leveret_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Leveret_ValueTooLargeException(zend_class_entry *class_entry_Leveret_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "ValueTooLargeException", class_Leveret_ValueTooLargeException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Leveret_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Leveret_UnsupportedValueException(zend_class_entry *class_entry_Leveret_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "UnsupportedValueException", class_Leveret_UnsupportedValueException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Leveret_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Leveret_NotAnIntegerException(zend_class_entry *class_entry_Leveret_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "NotAnIntegerException", class_Leveret_NotAnIntegerException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Leveret_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Leveret_NoMemoryException(zend_class_entry *class_entry_Leveret_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "NoMemoryException", class_Leveret_NoMemoryException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Leveret_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Leveret_BusyException(zend_class_entry *class_entry_Leveret_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "BusyException", class_Leveret_BusyException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Leveret_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Leveret_Item(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "Item", class_Leveret_Item_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	zval property_key_default_value;
	ZVAL_UNDEF(&property_key_default_value);
	zend_string *property_key_name = zend_string_init("key", sizeof("key") - 1, 1);
	zend_declare_typed_property(class_entry, property_key_name, &property_key_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_key_name);

	zval property_value_default_value;
	ZVAL_UNDEF(&property_value_default_value);
	zend_string *property_value_name = zend_string_init("value", sizeof("value") - 1, 1);
	zend_declare_typed_property(class_entry, property_value_name, &property_value_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_value_name);

	zval property_cas_default_value;
	ZVAL_UNDEF(&property_cas_default_value);
	zend_string *property_cas_name = zend_string_init("cas", sizeof("cas") - 1, 1);
	zend_declare_typed_property(class_entry, property_cas_name, &property_cas_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_cas_name);

	zval property_stored_default_value;
	ZVAL_UNDEF(&property_stored_default_value);
	zend_string *property_stored_name = zend_string_init("stored", sizeof("stored") - 1, 1);
	zend_declare_typed_property(class_entry, property_stored_name, &property_stored_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_stored_name);

	zval property_expires_default_value;
	ZVAL_UNDEF(&property_expires_default_value);
	zend_string *property_expires_name = zend_string_init("expires", sizeof("expires") - 1, 1);
	zend_declare_typed_property(class_entry, property_expires_name, &property_expires_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_expires_name);

	return class_entry;
}

static zend_class_entry *register_class_Leveret_Cache(zend_class_entry *class_entry_IteratorAggregate)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Leveret", "Cache", class_Leveret_Cache_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_IteratorAggregate);

	return class_entry;
}
