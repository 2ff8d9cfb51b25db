/* memcache/failure.c: what scripts are told of servers that fail: a notice, or a call of their failure callback. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/refused.h"
#include "memcache.h"

/* Numbers of errors that a server answers, as pecl/memcache tells them. */
enum { ERROR_UNSPECIFIED = 0, ERROR_TOO_LARGE = 3, ERROR_OF_CLIENT = 6 };

static void append(
	mmc_failures *failures, const mmc_link *link, uint32_t index, zend_string *text, zend_long number, bool is_answer)
{
	const mmc_server *server = &link->servers[index];
	failures->list = safe_erealloc(failures->list, failures->count + 1, sizeof(*failures->list), 0);
	failures->list[failures->count++] = (mmc_failure) {
		.host = zend_string_copy(server->host),
		.port = server->port,
		.udp_port = server->udp_port,
		.text = text,
		.number = number,
		.is_answer = is_answer,
	};
}

static zend_string *mmc_failure_text_of(const mmc_link *link, const leveret_failure *failure)
{
	switch (failure->code) {
		case LEVERET_CODE_HOST_LOOKUP_FAILURE:
			return zend_strpprintf(0,
				"Connection failed: php_network_getaddresses: getaddrinfo for %s failed: Name or service not known",
				ZSTR_VAL(link->servers[failure->server].host));
		case LEVERET_CODE_TIMEOUT:
			return zend_strpprintf(0, "Network timeout");
		case LEVERET_CODE_CONNECTION_FAILURE:
		case LEVERET_CODE_ERRNO:
			return zend_strpprintf(0, "Connection failed: %s",
				failure->system_error ? strerror(failure->system_error) : "the arena cannot be opened");
		case LEVERET_CODE_PROTOCOL_ERROR:
			return zend_strpprintf(0, "Malformed server response");
		default:
			return zend_strpprintf(0, "Read failed (socket was unexpectedly closed)");
	}
}

void php_leveret_mmc_failures_gather(mmc_link *link, mmc_failures *failures)
{
	leveret_failure failure;
	for (uint32_t i = 0; leveret_pool_failure(link->pool->pool, i, &failure); i++) {
		append(failures, link, failure.server, mmc_failure_text_of(link, &failure), failure.system_error, false);
	}
}

/* The line of the text protocol, as a server would have written it. In arenas errors have no words. */
static zend_string *line_of(const mmc_link *link, const leveret_answer *answer)
{
	bool is_of_client = answer->code == LEVERET_CODE_CLIENT_ERROR,
		 is_plain = answer->code == LEVERET_CODE_PROTOCOL_ERROR;
	const char *begin = is_plain ? "ERROR" : link->is_binary ? "" : is_of_client ? "CLIENT_ERROR " : "SERVER_ERROR ";
	const char *rest = is_plain              ? ""
		: is_of_client                       ? "cannot increment or decrement non-numeric value"
		: answer->code == LEVERET_CODE_E2BIG ? "object too large for cache"
											 : "out of memory storing object";
	if (answer->value.len) {
		return zend_strpprintf(0, "%s%.*s", begin, (int) answer->value.len, (const char *) answer->value.data);
	}
	return zend_strpprintf(0, "%s%s", begin, rest);
}

void php_leveret_mmc_failures_answer(mmc_link *link, const leveret_answer *answer, mmc_failures *failures)
{
	zend_long number;
	switch (answer->code) {
		case LEVERET_CODE_CLIENT_ERROR:
			number = ERROR_OF_CLIENT;
			break;
		case LEVERET_CODE_E2BIG:
			number = ERROR_TOO_LARGE;
			break;
		case LEVERET_CODE_PROTOCOL_ERROR: {
			leveret_failure failure;
			if (leveret_pool_failure(link->pool->pool, 0, &failure)) {
				/* It is not the server's word, but ours for what made no sense. */
				return;
			}
			number = ERROR_UNSPECIFIED;
			break;
		}
		case LEVERET_CODE_SERVER_MEMORY_ALLOCATION_FAILURE:
			php_leveret_tell_no_memory_of(link->pool->pool, answer->server);
			ZEND_FALLTHROUGH;
		case LEVERET_CODE_AUTH_FAILURE:
		case LEVERET_CODE_SERVER_ERROR:
			number = ERROR_UNSPECIFIED;
			break;
		default:
			return;
	}
	append(failures, link, answer->server, line_of(link, answer), number, true);
}

static void mmc_call_back(zval *callback, const mmc_failure *failure)
{
	zval arguments[5], answer;
	ZVAL_STR(&arguments[0], failure->host);
	ZVAL_LONG(&arguments[1], failure->port);
	ZVAL_LONG(&arguments[2], failure->udp_port);
	ZVAL_STR(&arguments[3], failure->text);
	ZVAL_LONG(&arguments[4], failure->number);
	ZVAL_UNDEF(&answer);
	call_user_function(NULL, NULL, callback, &answer, 5, arguments);
	zval_ptr_dtor(&answer);
}

static void tell(zval *callback, const mmc_failure *failure)
{
	if (Z_ISUNDEF_P(callback) || failure->is_answer) {
		php_error_docref(NULL, E_NOTICE,
			"Server %s (tcp " ZEND_LONG_FMT ", udp " ZEND_LONG_FMT ") failed with: %s (" ZEND_LONG_FMT ")",
			ZSTR_VAL(failure->host), failure->port, failure->udp_port, ZSTR_VAL(failure->text), failure->number);
	} else {
		mmc_call_back(callback, failure);
	}
}

void php_leveret_mmc_failures_tell(zval *object, mmc_failures *failures)
{
	if (EXPECTED(failures->count == 0)) {
		return;
	}
	zval callback;
	mmc_link *link = php_leveret_mmc_link_of(object);
	ZVAL_UNDEF(&callback);
	if (link && !Z_ISUNDEF(link->callback)) {
		ZVAL_COPY(&callback, &link->callback);
	}
	for (uint32_t i = 0; i < failures->count; i++) {
		if (!EG(exception)) {
			tell(&callback, &failures->list[i]);
		}
		zend_string_release(failures->list[i].host);
		zend_string_release(failures->list[i].text);
	}
	efree(failures->list);
	failures->list = NULL;
	failures->count = 0;
	zval_ptr_dtor(&callback);
}
