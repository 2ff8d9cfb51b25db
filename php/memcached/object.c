/* memcached/object.c: the class Memcached: objects and persistent ids, and their servers. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "codec/serializer.h"
#include "memcached.h"
#include "module.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"

#include "class_arginfo.h"

zend_class_entry *php_leveret_memcached_ce;
static zend_class_entry *exception_ce;
static zend_object_handlers handlers;

/* --- life --- */

static zend_object *create(zend_class_entry *ce)
{
	memc_object *self = zend_object_alloc(sizeof(*self), ce);
	memset(self, 0, offsetof(memc_object, std));
	self->disconnected = -1;
	zend_object_std_init(&self->std, ce);
	object_properties_init(&self->std, ce);
	self->std.handlers = &handlers;
	return &self->std;
}

static void free_object(zend_object *object)
{
	memc_object *self = memc_from(object);
	if (self->error) {
		zend_string_release(self->error);
	}
	if (self->link && self->owns_link) {
		php_leveret_memc_link_free(self->link);
	}
	zend_object_std_dtor(object);
}

static void memc_free_persistent(zval *entry)
{
	php_leveret_memc_link_free(Z_PTR_P(entry));
}

void php_leveret_memcached_links_init(HashTable *links)
{
	zend_hash_init(links, 4, NULL, memc_free_persistent, 1);
}

/* The link of this id, or a new one, which is kept when it is complete: see memc_keep(). */
static void attach(memc_object *self, zend_string *name)
{
	memc_link *link = name ? zend_hash_find_ptr(&MEMCACHED_G(links), name) : NULL;
	self->is_pristine = self->owns_link = !link;
	self->link = link ? link : php_leveret_memc_link_new(name != NULL);
}

/* From now on the link is its id's, and outlives the object; unless the callback has made one for the same id
 * meanwhile. */
static void memc_keep(memc_object *self, const zend_string *name)
{
	self->owns_link = !zend_hash_str_add_ptr(&MEMCACHED_G(links), ZSTR_VAL(name), ZSTR_LEN(name), self->link);
}

/* Initial state of a new link: the configuration string, then the callback. */
static void make(
	memc_object *self, zend_string *id, zend_fcall_info *call, zend_fcall_info_cache *cache, zend_string *configuration)
{
	zend_string *bad = configuration ? php_leveret_memc_configure(self->link, configuration) : NULL;
	if (bad) {
		zend_throw_exception_ex(exception_ce, 0, "Memcached configuration: \"%s\" is not understood", ZSTR_VAL(bad));
		zend_string_release(bad);
	} else if (call->size) {
		zval name;
		if (id) {
			ZVAL_STR(&name, id);
		} else {
			ZVAL_NULL(&name);
		}
		php_leveret_memc_call_back(self, call, cache, &name);
	}
}

PHP_METHOD(Memcached, __construct)
{
	zend_string *id = NULL, *configuration = NULL;
	zend_fcall_info call = empty_fcall_info;
	zend_fcall_info_cache cache = empty_fcall_info_cache;
	ZEND_PARSE_PARAMETERS_START(0, 3)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(id)
		Z_PARAM_FUNC_OR_NULL(call, cache)
		Z_PARAM_STR_OR_NULL(configuration)
	ZEND_PARSE_PARAMETERS_END();
	memc_object *self = memc_from(Z_OBJ_P(ZEND_THIS));
	if (self->link) {
		zend_throw_error(NULL, "The Memcached object is constructed already");
		RETURN_THROWS();
	}
	zend_string *name = id && ZSTR_LEN(id) ? php_leveret_memc_persistent_name(ZSTR_VAL(id), ZSTR_LEN(id)) : NULL;
	attach(self, name);
	if (self->is_pristine) {
		make(self, id, &call, &cache, configuration);
		/* The next object of this name must see the same error, or be called back, and not find a half-made link. */
		if (name && !EG(exception)) {
			memc_keep(self, name);
		}
	}
	if (name) {
		zend_string_release(name);
	}
}

PHP_METHOD(Memcached, isPersistent)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	memc_link *link = self->link;
	RETURN_BOOL(link->is_persistent);
}

PHP_METHOD(Memcached, isPristine)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	RETURN_BOOL(self->is_pristine);
}

PHP_METHOD(Memcached, checkKey)
{
	zend_string *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_result(self, MEMC_SUCCESS);
	RETURN_BOOL(php_leveret_memc_key_is_good(self, key));
}

/* --- servers --- */

PHP_METHOD(Memcached, addServer)
{
	zend_string *host;
	zend_long port, weight = 0;
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(host)
		Z_PARAM_LONG(port)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(weight)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	memc_result(self, php_leveret_memc_link_add_server(link, host, port ? port : MEMC_PORT, weight < 0 ? 0 : weight));
	RETURN_BOOL(self->code == MEMC_SUCCESS);
}

static bool begins_with(const zend_string *host, const char *word)
{
	return strncmp(ZSTR_VAL(host), word, strlen(word)) == 0;
}

/* In a list a socket has no port, even if one is given. An arena, which the original does not know, has the given one:
 * applications compare getServerList() with their own lists. */
static zend_long port_of_entry(const zend_string *host, zend_long port)
{
	if (begins_with(host, "/") || begins_with(host, "unix://")) {
		return 0;
	}
	return port || begins_with(host, "arena:") ? port : MEMC_PORT;
}

/* Host, port and weight by position, with any keys. */
static int add_entry(memc_link *link, HashTable *entry)
{
	zval parts[3], *part;
	uint32_t count = 0;
	int code = MEMC_INVALID_ARGUMENTS;
	/* Held: code of the host (__toString) may let go of the array. */
	ZEND_HASH_FOREACH_VAL(entry, part) {
		if (count < 3) {
			ZVAL_COPY_DEREF(&parts[count++], part);
		}
	}
	ZEND_HASH_FOREACH_END();
	if (count >= 2) {
		zend_string *host = zval_get_string(&parts[0]);
		zend_long port = zval_get_long(&parts[1]), weight = count > 2 ? zval_get_long(&parts[2]) : 0;
		code = EG(exception) ? code
							 : php_leveret_memc_link_add_server(link, host, port_of_entry(host, port), MAX(weight, 0));
		zend_string_release(host);
	}
	while (count > 0) {
		zval_ptr_dtor(&parts[--count]);
	}
	return code;
}

PHP_METHOD(Memcached, addServers)
{
	HashTable *servers;
	zval *entry;
	uint32_t number = 0;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(servers)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	memc_result(self, MEMC_SUCCESS);
	ZEND_HASH_FOREACH_VAL(servers, entry) {
		number++;
		ZVAL_DEREF(entry);
		if (Z_TYPE_P(entry) != IS_ARRAY) {
			php_error_docref(NULL, E_WARNING, "server list entry #%u is not an array", number);
			continue;
		}
		int code = add_entry(link, Z_ARRVAL_P(entry));
		if (code != MEMC_SUCCESS) {
			/* The original has counted on by then. */
			php_error_docref(NULL, E_WARNING, "could not add entry #%u to the server list", number + 1);
		}
	}
	ZEND_HASH_FOREACH_END();
	RETURN_TRUE;
}

PHP_METHOD(Memcached, resetServerList)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	memc_link *link = self->link;
	leveret_pool_clear_servers(link->pool);
	RETURN_TRUE;
}

static void memc_describe(const leveret_server *server, const char *last, zval *entry)
{
	array_init_size(entry, 4);
	add_assoc_stringl(entry, "host", (const char *) server->host.data, server->host.len);
	add_assoc_long(entry, "port", server->port);
	if (strcmp(last, "type") == 0) {
		add_assoc_string(entry, "type", server->kind == LEVERET_SERVER_TCP ? "TCP" : "SOCKET");
	} else {
		add_assoc_long(entry, "weight", server->weight);
	}
}

PHP_METHOD(Memcached, getServerList)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	memc_link *link = self->link;
	array_init(return_value);
	for (uint32_t i = 0; i < leveret_pool_servers(link->pool); i++) {
		leveret_server server;
		zval entry;
		leveret_pool_server(link->pool, i, &server);
		memc_describe(&server, "type", &entry);
		add_next_index_zval(return_value, &entry);
	}
}

PHP_METHOD(Memcached, getServerByKey)
{
	zend_string *key;
	leveret_server server;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	memc_result(self, MEMC_SUCCESS);
	if (!leveret_pool_servers(link->pool)) {
		php_leveret_memc_failure(self, MEMC_NO_SERVERS);
		RETURN_FALSE;
	}
	/* A server key is only hashed: unless OPT_VERIFY_KEY says so it need not be one that a server would take. */
	if (link->behaviors[MEMC_VERIFY_KEY] ? !php_leveret_memc_key_is_good(self, key)
										 : ZSTR_LEN(key) == 0 || ZSTR_LEN(key) > MEMC_KEY_MAX) {
		php_leveret_memc_failure(self, MEMC_BAD_KEY_PROVIDED);
		RETURN_FALSE;
	}
	int64_t index = leveret_pool_locate(link->pool, php_leveret_string(key));
	if (index < 0 || leveret_pool_server(link->pool, (uint32_t) index, &server) != MEMC_SUCCESS) {
		memc_result(self, MEMC_NO_SERVERS);
		RETURN_FALSE;
	}
	memc_describe(&server, "weight", return_value);
}

PHP_METHOD(Memcached, getLastDisconnectedServer)
{
	leveret_server server;
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	memc_link *link = self->link;
	if (self->disconnected < 0
		|| leveret_pool_server(link->pool, (uint32_t) self->disconnected, &server) != MEMC_SUCCESS) {
		RETURN_FALSE;
	}
	array_init_size(return_value, 2);
	add_assoc_stringl(return_value, "host", (const char *) server.host.data, server.host.len);
	add_assoc_long(return_value, "port", server.port);
}

PHP_METHOD(Memcached, quit)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	memc_link *link = self->link;
	leveret_pool_quit(link->pool);
	RETURN_TRUE;
}

PHP_METHOD(Memcached, flushBuffers)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	memc_link *link = self->link;
	memc_result(self, leveret_pool_flush_buffers(link->pool));
	RETURN_BOOL(!php_leveret_memc_is_failure(self->code));
}

/* The numbers of a map of buckets. False, with a warning: one of them is none. */
static bool take_map(HashTable *map, uint32_t *servers)
{
	zval *entry;
	ZEND_HASH_FOREACH_VAL(map, entry) {
		zend_long server = zval_get_long(entry);
		if (server < 0) {
			php_error_docref(NULL, E_WARNING, "the map must contain positive integers");
			return false;
		}
		*servers++ = (uint32_t) server;
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

PHP_METHOD(Memcached, setBucket)
{
	HashTable *hosts, *forwards;
	zend_long replicas;
	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_ARRAY_HT(hosts)
		Z_PARAM_ARRAY_HT_OR_NULL(forwards)
		Z_PARAM_LONG(replicas)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	uint32_t count = zend_hash_num_elements(hosts);
	const char *problem = count == 0                            ? "server map cannot be empty"
		: forwards && zend_hash_num_elements(forwards) != count ? "forward_map length must match the server_map length"
		: replicas < 0                                          ? "replicas must be larger than zero"
																: NULL;
	if (problem) {
		php_error_docref(NULL, E_WARNING, "%s", problem);
		RETURN_FALSE;
	}
	uint32_t *servers = safe_emalloc(2 * (size_t) count, sizeof(*servers), 0);
	/* libmemcached keeps the forward map and the number of replicas, and never looks at them: keys go by the first map
	 * alone. */
	bool good = take_map(hosts, servers) && (!forwards || take_map(forwards, servers + count));
	if (good) {
		php_leveret_memc_link_set_buckets(link, servers, count);
		memc_result(self, MEMC_SUCCESS);
	}
	efree(servers);
	RETURN_BOOL(good);
}

/* --- the class --- */

void php_leveret_memcached_class(void)
{
	php_leveret_memcached_ce = register_class_Memcached();
	php_leveret_memcached_ce->create_object = create;
	zend_declare_class_constant_bool(php_leveret_memcached_ce, "HAVE_IGBINARY", strlen("HAVE_IGBINARY"),
		php_leveret_has_serializer(LEVERET_IGBINARY));
	zend_declare_class_constant_bool(
		php_leveret_memcached_ce, "HAVE_MSGPACK", strlen("HAVE_MSGPACK"), php_leveret_has_serializer(LEVERET_MSGPACK));
	zend_declare_class_constant_bool(
		php_leveret_memcached_ce, "HAVE_ZSTD", strlen("HAVE_ZSTD"), leveret_has_codec(LEVERET_CODEC_ZSTD) != 0);
	exception_ce = register_class_MemcachedException(spl_ce_RuntimeException);
	memcpy(&handlers, zend_get_std_object_handlers(), sizeof(handlers));
	handlers.offset = offsetof(memc_object, std);
	handlers.free_obj = free_object;
	handlers.clone_obj = NULL;
}
