/* memcache/connection.c: the link behind an object: a resource in its property `connection`. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "memcache.h"

static int le_link;

static void free_link(zend_resource *resource)
{
	php_leveret_mmc_link_free(resource->ptr);
}

/* The property `connection` of MemcachePool, its first one, and so of each class that extends it. */
static zval *connection_of(zval *object)
{
	zval *property = OBJ_PROP_NUM(Z_OBJ_P(object), 0);
	ZVAL_DEREF(property);
	return property;
}

static mmc_link *link_behind(const zval *connection)
{
	return Z_TYPE_P(connection) == IS_RESOURCE && Z_RES_TYPE_P(connection) == le_link ? Z_RES_VAL_P(connection) : NULL;
}

static mmc_link *report_missing(const zval *connection)
{
	if (Z_TYPE_P(connection) <= IS_NULL) {
		php_error_docref(NULL, E_WARNING, "No servers added to memcache connection");
	} else if (Z_TYPE_P(connection) == IS_RESOURCE) {
		php_error_docref(NULL, E_WARNING, "Unknown connection identifier");
	} else {
		php_error_docref(NULL, E_WARNING, "Invalid MemcachePool->connection member variable");
	}
	return NULL;
}

mmc_link *php_leveret_mmc_link_of(zval *object)
{
	zval *connection = connection_of(object);
	mmc_link *link = link_behind(connection);
	return EXPECTED(link) ? link : report_missing(connection);
}

mmc_link *php_leveret_mmc_link_if_any(zval *object)
{
	return link_behind(connection_of(object));
}

/* Credentials that the object was given before it had a connection: pecl/memcache keeps them in properties. */
static void mmc_sign_in(zval *object, mmc_link *link)
{
	/* Most objects have none of them, and no table of properties. */
	bool has_properties = Z_OBJ_P(object)->properties || Z_OBJCE_P(object)->default_properties_count > 1;
	HashTable *properties = has_properties ? Z_OBJPROP_P(object) : NULL;
	zval *user = properties ? zend_hash_str_find_ind(properties, "username", strlen("username")) : NULL;
	zval *password = properties ? zend_hash_str_find_ind(properties, "password", strlen("password")) : NULL;
	if (!user || !password) {
		return;
	}
	ZVAL_DEREF(user);
	ZVAL_DEREF(password);
	if (Z_TYPE_P(user) == IS_STRING && Z_TYPE_P(password) == IS_STRING && Z_STRLEN_P(user) && Z_STRLEN_P(password)) {
		php_leveret_mmc_link_sign_in(link, Z_STR_P(user), Z_STR_P(password));
	}
}

mmc_link *php_leveret_mmc_link_make(zval *object)
{
	zval *connection = connection_of(object);
	mmc_link *link = link_behind(connection);
	if (!link && Z_TYPE_P(connection) > IS_NULL) {
		return report_missing(connection);
	}
	if (!link) {
		link = php_leveret_mmc_link_new(false);
		ZVAL_RES(connection, zend_register_resource(link, le_link));
		mmc_sign_in(object, link);
	}
	return link;
}

void php_leveret_mmc_connections_init(void)
{
	le_link = zend_register_list_destructors_ex(free_link, NULL, "memcache connection", 0);
}
