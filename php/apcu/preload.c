/* apcu/preload.c: apc.preload_path: a folder whose files NAME.data a new cache begins with, each the serialized value
 * of the key NAME.
 *
 * APCu reads it when its server starts. An arena is opened by the first script that uses it, so it is read then, in the
 * middle of a call: values that run code, or refer to each other, are passed over, as is all else that cannot be read.
 * Other workers are at work meanwhile: to them a key whose turn has not come is not there, what they store is kept, and
 * what they delete may come back. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "preload.h"
#include "base/bytes.h"
#include "codec/plain.h"
#include "apcu.h"
#include "module.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".data"

/* The file, with a NUL after it; NULL: unreadable, or too large for any arena. Its memory is allocated first: if
 * memory_limit ends the request, no file is open. */
static zend_string *contents(const char *path, uint64_t len_max)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0
		|| (uint64_t) status.st_size > len_max) {
		return NULL;
	}
	zend_string *text = zend_string_alloc((size_t) status.st_size, 0);
	ssize_t len = -1;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file >= 0) {
		len = read(file, ZSTR_VAL(text), ZSTR_LEN(text));
		close(file);
	}
	if (len < 0) {
		zend_string_efree(text);
		return NULL;
	}
	ZSTR_LEN(text) = (size_t) len;
	ZSTR_VAL(text)[len] = '\0';
	return text;
}

/* Editors end files with a line feed. */
static size_t without_blanks(const zend_string *text)
{
	size_t len = ZSTR_LEN(text);
	while (len && isspace((unsigned char) ZSTR_VAL(text)[len - 1])) {
		len--;
	}
	return len;
}

static void preload(leveret_arena *arena, leveret_bytes key, const char *path)
{
	zval value;
	zend_string *text = contents(path, leveret_value_max(arena));
	if (!text) {
		return;
	}
	bool is_short;
	if (php_leveret_read_plain(ZSTR_VAL(text), without_blanks(text), SIZE_MAX, &value, &is_short)) {
		/* A value stored by a script meanwhile is newer. */
		php_leveret_apcu_store_value(arena, key, &value, 0, LEVERET_ADD, leveret_now());
		zval_ptr_dtor(&value);
	}
	zend_string_release(text);
}

static void preload_all(leveret_arena *arena, const char *folder, DIR *entries)
{
	const struct dirent *entry;
	while ((entry = readdir(entries))) {
		char path[MAXPATHLEN];
		size_t len = strlen(entry->d_name), suffix_len = strlen(SUFFIX);
		int path_len = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (len > suffix_len && strcmp(entry->d_name + len - suffix_len, SUFFIX) == 0
			&& path_len < (int) sizeof(path)) {
			preload(arena, php_leveret_bytes(entry->d_name, len - suffix_len), path);
		}
	}
}

void php_leveret_apcu_preload(leveret_arena *arena)
{
	const char *folder = APCU_G(preload_path);
	DIR *entries = folder && *folder ? opendir(folder) : NULL;
	if (!entries) {
		if (folder && *folder) {
			char line[MAXPATHLEN + 128];
			snprintf(line, sizeof(line), "leveret: apc.preload_path: the folder %s cannot be read: %s", folder,
				strerror(errno));
			php_log_err(line);
		}
		return;
	}
	/* memory_limit may end the request in between. */
	zend_try
	{
		preload_all(arena, folder, entries);
	}
	zend_catch
	{
		closedir(entries);
		zend_bailout();
	}
	zend_end_try();
	closedir(entries);
}
