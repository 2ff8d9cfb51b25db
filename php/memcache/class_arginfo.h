/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 36822d42702e59cae53e13d0c1c3afb2ce3a0ec2 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_memcache_connect, 0, 0, 1)
	ZEND_ARG_INFO(0, host)
	ZEND_ARG_INFO(0, port)
	ZEND_ARG_INFO(0, timeout)
	ZEND_ARG_INFO(0, unused4)
	ZEND_ARG_INFO(0, unused5)
	ZEND_ARG_INFO(0, unused6)
	ZEND_ARG_INFO(0, unused7)
	ZEND_ARG_INFO(0, unugsed8)
ZEND_END_ARG_INFO()

#define arginfo_memcache_pconnect arginfo_memcache_connect

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_add_server, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_INFO(0, host)
	ZEND_ARG_INFO(0, port)
	ZEND_ARG_INFO(0, tcp_port)
	ZEND_ARG_INFO(0, persistent)
	ZEND_ARG_INFO(0, weight)
	ZEND_ARG_INFO(0, timeout)
	ZEND_ARG_INFO(0, retry_interval)
	ZEND_ARG_INFO(0, status)
	ZEND_ARG_INFO(0, failure_callback)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_set_server_params, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_INFO(0, host, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, tcp_port, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, timeout, IS_DOUBLE, 0)
	ZEND_ARG_TYPE_INFO(0, retry_interval, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, status, _IS_BOOL, 0)
	ZEND_ARG_INFO(0, failure_callback)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_set_failure_callback, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_INFO(0, failure_callback, IS_CALLABLE, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_memcache_get_server_status, 0, 2, MAY_BE_LONG|MAY_BE_BOOL)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_INFO(0, host, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, tcp_port, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_memcache_get_version, 0, 1, MAY_BE_STRING|MAY_BE_BOOL)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_add, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, flags, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, exptime, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, cas, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_memcache_set arginfo_memcache_add

#define arginfo_memcache_replace arginfo_memcache_add

#define arginfo_memcache_cas arginfo_memcache_add

#define arginfo_memcache_append arginfo_memcache_add

#define arginfo_memcache_prepend arginfo_memcache_add

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_get, 0, 2, IS_MIXED, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_INFO(0, key)
	ZEND_ARG_INFO(1, flags)
	ZEND_ARG_INFO(1, cas)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_memcache_delete, 0, 2, MAY_BE_ARRAY|MAY_BE_BOOL)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_INFO(0, key)
	ZEND_ARG_INFO(0, exptime)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_debug, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_INFO(0, on_off)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_memcache_get_stats, 0, 1, MAY_BE_ARRAY|MAY_BE_BOOL)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_INFO(0, type, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, slabid, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_memcache_get_extended_stats arginfo_memcache_get_stats

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_set_compress_threshold, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_INFO(0, threshold, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, min_savings, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_memcache_increment, 0, 2, MAY_BE_ARRAY|MAY_BE_LONG|MAY_BE_BOOL)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO(0, value, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, defval, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, exptime, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_memcache_decrement arginfo_memcache_increment

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_close, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_flush, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_INFO(0, delay, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_memcache_set_sasl_auth_data, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_OBJ_INFO(0, memcache, MemcachePool, 0)
	ZEND_ARG_TYPE_INFO(0, username, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, password, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_MemcachePool_connect, 0, 0, 1)
	ZEND_ARG_INFO(0, host)
	ZEND_ARG_INFO(0, tcp_port)
	ZEND_ARG_INFO(0, udp_port)
	ZEND_ARG_INFO(0, persistent)
	ZEND_ARG_INFO(0, weight)
	ZEND_ARG_INFO(0, timeout)
	ZEND_ARG_INFO(0, retry_interval)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_addserver, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_INFO(0, host)
	ZEND_ARG_INFO(0, tcp_port)
	ZEND_ARG_INFO(0, udp_port)
	ZEND_ARG_INFO(0, persistent)
	ZEND_ARG_INFO(0, weight)
	ZEND_ARG_INFO(0, timeout)
	ZEND_ARG_INFO(0, retry_interval)
	ZEND_ARG_INFO(0, status)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_setserverparams, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, host, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, tcp_port, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, timeout, IS_DOUBLE, 0)
	ZEND_ARG_TYPE_INFO(0, retry_interval, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, status, _IS_BOOL, 0)
	ZEND_ARG_INFO(0, failure_callback)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_setfailurecallback, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, failure_callback, IS_CALLABLE, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_MemcachePool_getserverstatus, 0, 1, MAY_BE_LONG|MAY_BE_BOOL)
	ZEND_ARG_TYPE_INFO(0, host, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, tcp_port, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_MemcachePool_findserver, 0, 1, MAY_BE_STRING|MAY_BE_BOOL)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_MemcachePool_getversion, 0, 0, MAY_BE_STRING|MAY_BE_BOOL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_add, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, flags, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, exptime, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, cas, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_MemcachePool_set arginfo_class_MemcachePool_add

#define arginfo_class_MemcachePool_replace arginfo_class_MemcachePool_add

#define arginfo_class_MemcachePool_cas arginfo_class_MemcachePool_add

#define arginfo_class_MemcachePool_append arginfo_class_MemcachePool_add

#define arginfo_class_MemcachePool_prepend arginfo_class_MemcachePool_add

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_get, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO(1, flags, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(1, cas, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_MemcachePool_delete, 0, 1, MAY_BE_ARRAY|MAY_BE_BOOL)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO(0, exptime, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_MemcachePool_getstats, 0, 0, MAY_BE_ARRAY|MAY_BE_BOOL)
	ZEND_ARG_TYPE_INFO(0, type, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, slabid, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_MemcachePool_getextendedstats arginfo_class_MemcachePool_getstats

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_setcompressthreshold, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, threshold, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, min_savings, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_MemcachePool_increment, 0, 1, MAY_BE_ARRAY|MAY_BE_LONG|MAY_BE_BOOL)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO(0, value, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, defval, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, exptime, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_MemcachePool_decrement arginfo_class_MemcachePool_increment

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_close, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_flush, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, delay, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_MemcachePool_setSaslAuthData, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, username, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, password, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Memcache_connect arginfo_memcache_connect

#define arginfo_class_Memcache_pconnect arginfo_memcache_connect

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Memcache_addserver, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_INFO(0, host)
	ZEND_ARG_INFO(0, tcp_port)
	ZEND_ARG_INFO(0, persistent)
	ZEND_ARG_INFO(0, weight)
	ZEND_ARG_INFO(0, timeout)
	ZEND_ARG_INFO(0, retry_interval)
	ZEND_ARG_INFO(0, status)
	ZEND_ARG_INFO(0, failure_callback)
ZEND_END_ARG_INFO()


ZEND_FUNCTION(memcache_connect);
ZEND_FUNCTION(memcache_pconnect);
ZEND_FUNCTION(memcache_add_server);
ZEND_FUNCTION(memcache_set_server_params);
ZEND_FUNCTION(memcache_set_failure_callback);
ZEND_FUNCTION(memcache_get_server_status);
ZEND_FUNCTION(memcache_get_version);
ZEND_FUNCTION(memcache_add);
ZEND_FUNCTION(memcache_set);
ZEND_FUNCTION(memcache_replace);
ZEND_FUNCTION(memcache_cas);
ZEND_FUNCTION(memcache_append);
ZEND_FUNCTION(memcache_prepend);
ZEND_FUNCTION(memcache_get);
ZEND_FUNCTION(memcache_delete);
ZEND_FUNCTION(memcache_debug);
ZEND_FUNCTION(memcache_get_stats);
ZEND_FUNCTION(memcache_get_extended_stats);
ZEND_FUNCTION(memcache_set_compress_threshold);
ZEND_FUNCTION(memcache_increment);
ZEND_FUNCTION(memcache_decrement);
ZEND_FUNCTION(memcache_close);
ZEND_FUNCTION(memcache_flush);
ZEND_FUNCTION(memcache_set_sasl_auth_data);
ZEND_METHOD(MemcachePool, connect);
ZEND_METHOD(MemcachePool, addserver);
ZEND_METHOD(MemcachePool, findserver);
ZEND_METHOD(Memcache, addserver);


static const zend_function_entry ext_functions[] = {
	ZEND_FE(memcache_connect, arginfo_memcache_connect)
	ZEND_FE(memcache_pconnect, arginfo_memcache_pconnect)
	ZEND_FE(memcache_add_server, arginfo_memcache_add_server)
	ZEND_FE(memcache_set_server_params, arginfo_memcache_set_server_params)
	ZEND_FE(memcache_set_failure_callback, arginfo_memcache_set_failure_callback)
	ZEND_FE(memcache_get_server_status, arginfo_memcache_get_server_status)
	ZEND_FE(memcache_get_version, arginfo_memcache_get_version)
	ZEND_FE(memcache_add, arginfo_memcache_add)
	ZEND_FE(memcache_set, arginfo_memcache_set)
	ZEND_FE(memcache_replace, arginfo_memcache_replace)
	ZEND_FE(memcache_cas, arginfo_memcache_cas)
	ZEND_FE(memcache_append, arginfo_memcache_append)
	ZEND_FE(memcache_prepend, arginfo_memcache_prepend)
	ZEND_FE(memcache_get, arginfo_memcache_get)
	ZEND_FE(memcache_delete, arginfo_memcache_delete)
	ZEND_FE(memcache_debug, arginfo_memcache_debug)
	ZEND_FE(memcache_get_stats, arginfo_memcache_get_stats)
	ZEND_FE(memcache_get_extended_stats, arginfo_memcache_get_extended_stats)
	ZEND_FE(memcache_set_compress_threshold, arginfo_memcache_set_compress_threshold)
	ZEND_FE(memcache_increment, arginfo_memcache_increment)
	ZEND_FE(memcache_decrement, arginfo_memcache_decrement)
	ZEND_FE(memcache_close, arginfo_memcache_close)
	ZEND_FE(memcache_flush, arginfo_memcache_flush)
	ZEND_FE(memcache_set_sasl_auth_data, arginfo_memcache_set_sasl_auth_data)
	ZEND_FE_END
};


static const zend_function_entry class_MemcachePool_methods[] = {
	ZEND_ME(MemcachePool, connect, arginfo_class_MemcachePool_connect, ZEND_ACC_PUBLIC)
	ZEND_ME(MemcachePool, addserver, arginfo_class_MemcachePool_addserver, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(setserverparams, memcache_set_server_params, arginfo_class_MemcachePool_setserverparams, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(setfailurecallback, memcache_set_failure_callback, arginfo_class_MemcachePool_setfailurecallback, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(getserverstatus, memcache_get_server_status, arginfo_class_MemcachePool_getserverstatus, ZEND_ACC_PUBLIC)
	ZEND_ME(MemcachePool, findserver, arginfo_class_MemcachePool_findserver, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(getversion, memcache_get_version, arginfo_class_MemcachePool_getversion, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(add, memcache_add, arginfo_class_MemcachePool_add, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(set, memcache_set, arginfo_class_MemcachePool_set, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(replace, memcache_replace, arginfo_class_MemcachePool_replace, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(cas, memcache_cas, arginfo_class_MemcachePool_cas, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(append, memcache_append, arginfo_class_MemcachePool_append, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(prepend, memcache_prepend, arginfo_class_MemcachePool_prepend, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(get, memcache_get, arginfo_class_MemcachePool_get, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(delete, memcache_delete, arginfo_class_MemcachePool_delete, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(getstats, memcache_get_stats, arginfo_class_MemcachePool_getstats, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(getextendedstats, memcache_get_extended_stats, arginfo_class_MemcachePool_getextendedstats, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(setcompressthreshold, memcache_set_compress_threshold, arginfo_class_MemcachePool_setcompressthreshold, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(increment, memcache_increment, arginfo_class_MemcachePool_increment, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(decrement, memcache_decrement, arginfo_class_MemcachePool_decrement, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(close, memcache_close, arginfo_class_MemcachePool_close, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(flush, memcache_flush, arginfo_class_MemcachePool_flush, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(setSaslAuthData, memcache_set_sasl_auth_data, arginfo_class_MemcachePool_setSaslAuthData, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Memcache_methods[] = {
	ZEND_ME_MAPPING(connect, memcache_connect, arginfo_class_Memcache_connect, ZEND_ACC_PUBLIC)
	ZEND_ME_MAPPING(pconnect, memcache_pconnect, arginfo_class_Memcache_pconnect, ZEND_ACC_PUBLIC)
	ZEND_ME(Memcache, addserver, arginfo_class_Memcache_addserver, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_MemcachePool(void)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "MemcachePool", class_MemcachePool_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);

	zval property_connection_default_value;
	ZVAL_NULL(&property_connection_default_value);
	zend_string *property_connection_name = zend_string_init("connection", sizeof("connection") - 1, 1);
	zend_declare_property_ex(class_entry, property_connection_name, &property_connection_default_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(property_connection_name);

	return class_entry;
}

static zend_class_entry *register_class_Memcache(zend_class_entry *class_entry_MemcachePool)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "Memcache", class_Memcache_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_MemcachePool);

	return class_entry;
}
