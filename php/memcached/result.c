/* memcached/result.c: result codes, their texts, and the methods that tell them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/refused.h"
#include "memcached.h"

/* libmemcached's words: applications log and compare them. */
static const char *const texts[] = {
	[0] = "SUCCESS",
	[1] = "FAILURE",
	[2] = "getaddrinfo() or getnameinfo() HOSTNAME LOOKUP FAILURE",
	[3] = "CONNECTION FAILURE",
	[4] = "CONNECTION BIND FAILURE",
	[5] = "WRITE FAILURE",
	[6] = "READ FAILURE",
	[7] = "UNKNOWN READ FAILURE",
	[8] = "PROTOCOL ERROR",
	[9] = "CLIENT ERROR",
	[10] = "SERVER ERROR",
	[11] = "ERROR was returned by server",
	[12] = "CONNECTION DATA EXISTS",
	[13] = "CONNECTION DATA DOES NOT EXIST",
	[14] = "NOT STORED",
	[15] = "STORED",
	[16] = "NOT FOUND",
	[17] = "MEMORY ALLOCATION FAILURE",
	[18] = "PARTIAL READ",
	[19] = "SOME ERRORS WERE REPORTED",
	[20] = "NO SERVERS DEFINED",
	[21] = "SERVER END",
	[22] = "SERVER DELETE",
	[23] = "SERVER VALUE",
	[24] = "STAT VALUE",
	[25] = "ITEM VALUE",
	[26] = "SYSTEM ERROR",
	[27] = "COULD NOT OPEN UNIX SOCKET",
	[28] = "ACTION NOT SUPPORTED",
	[29] = "A KEY LENGTH OF ZERO WAS PROVIDED",
	[30] = "FETCH WAS NOT COMPLETED",
	[31] = "A TIMEOUT OCCURRED",
	[32] = "ACTION QUEUED",
	[33] = "A BAD KEY WAS PROVIDED/CHARACTERS OUT OF RANGE",
	[34] = "THE HOST TRANSPORT PROTOCOL DOES NOT MATCH THAT OF THE CLIENT",
	[35] = "SERVER IS MARKED DEAD",
	[36] = "ENCOUNTERED AN UNKNOWN STAT KEY",
	[37] = "ITEM TOO BIG",
	[38] = "INVALID ARGUMENTS",
	[39] = "KEY RETURNED FROM SERVER WAS TOO LARGE",
	[40] = "FAILED TO SEND AUTHENTICATION TO SERVER",
	[41] = "AUTHENTICATION FAILURE",
	[42] = "CONTINUE AUTHENTICATION",
	[43] = "ERROR OCCURED WHILE PARSING",
	[44] = "USER INITIATED ERROR OCCURED WHILE PARSING",
	[45] = "DEPRECATED",
	[46] = "OPERATION IN PROCESS",
	[47] = "SERVER HAS FAILED AND IS DISABLED UNTIL TIMED RETRY",
	[48] = "SERVER FAILED TO ALLOCATE OBJECT",
};

const char *php_leveret_memc_text(zend_long code)
{
	if (code == MEMC_PAYLOAD_FAILURE) {
		return "PAYLOAD FAILURE";
	}
	return code >= 0 && code < (zend_long) (sizeof(texts) / sizeof(*texts)) ? texts[code]
																			: "INVALID memcached_return_t";
}

bool php_leveret_memc_is_failure(zend_long code)
{
	switch (code) {
		case MEMC_SUCCESS:
		case MEMC_STORED:
		case MEMC_END:
		case MEMC_DELETED:
		case MEMC_VALUE:
		case MEMC_STAT:
		case MEMC_ITEM:
		case MEMC_BUFFERED:
			return false;
		default:
			return true;
	}
}

void php_leveret_memc_failure(memc_object *self, zend_long code)
{
	/* Where the server has hung up the pool says that it was in the middle of reading; to libmemcached the connection
	 * failed. */
	if (code == MEMC_UNKNOWN_READ_FAILURE) {
		code = MEMC_CONNECTION_FAILURE;
	}
	memc_result(self, code);
	if (php_leveret_memc_is_failure(code) && code != MEMC_NOTFOUND && code != MEMC_NOTSTORED && code != MEMC_DATA_EXISTS
		&& code != MEMC_E2BIG) {
		self->error_code = code;
	}
}

/* Whether it concerns the connection, and not a server's answer or our own refusal. */
static bool is_disconnection(zend_long code)
{
	switch (code) {
		case MEMC_HOST_LOOKUP_FAILURE:
		case MEMC_CONNECTION_FAILURE:
		case MEMC_WRITE_FAILURE:
		case MEMC_READ_FAILURE:
		case MEMC_UNKNOWN_READ_FAILURE:
		case MEMC_ERRNO:
		case MEMC_TIMEOUT:
		case MEMC_SERVER_MARKED_DEAD:
		case MEMC_SERVER_TEMPORARILY_DISABLED:
			return true;
		default:
			return false;
	}
}

static zend_always_inline void result_of(
	memc_object *self, int32_t code, uint32_t server, uint64_t number, leveret_bytes text)
{
	php_leveret_memc_failure(self, code);
	if (self->error_code == MEMC_SUCCESS) {
		return;
	}
	if (code == MEMC_SERVER_MEMORY_ALLOCATION_FAILURE) {
		php_leveret_tell_no_memory_of(self->link->pool, server);
	}
	self->error_errno = (zend_long) number;
	if (is_disconnection(code)) {
		self->disconnected = (int32_t) server;
	}
	if (text.len) {
		self->error = zend_string_init((const char *) text.data, text.len, 0);
	}
}

void php_leveret_memc_result_of(memc_object *self, const leveret_answer *answer)
{
	result_of(self, answer->code, answer->server, answer->number, answer->value);
}

void php_leveret_memc_result_of_copy(memc_object *self, const client_copy *copy)
{
	result_of(self, copy->code, copy->server, copy->number,
		copy->data ? php_leveret_string(copy->data) : php_leveret_bytes(NULL, 0));
}

PHP_METHOD(Memcached, getResultCode)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	RETURN_LONG(self->code);
}

PHP_METHOD(Memcached, getResultMessage)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	if (self->code == MEMC_ERRNO && self->error_errno) {
		RETURN_STR(zend_strpprintf(0, "%s: %s", php_leveret_memc_text(self->code), strerror((int) self->error_errno)));
	}
	RETURN_STRING(php_leveret_memc_text(self->code));
}

PHP_METHOD(Memcached, getLastErrorMessage)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	if (self->error) {
		RETURN_STR_COPY(self->error);
	}
	if (self->error_code == MEMC_ERRNO && self->error_errno) {
		RETURN_STR(
			zend_strpprintf(0, "%s(%s)", php_leveret_memc_text(self->error_code), strerror((int) self->error_errno)));
	}
	RETURN_STRING(php_leveret_memc_text(self->error_code));
}

PHP_METHOD(Memcached, getLastErrorCode)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	RETURN_LONG(self->error_code);
}

PHP_METHOD(Memcached, getLastErrorErrno)
{
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	RETURN_LONG(self->error_errno);
}
