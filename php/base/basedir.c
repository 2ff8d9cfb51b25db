/* base/basedir.c: PHP's open_basedir for arenas. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/basedir.h"
#include "base/globals.h"

#include "ext/standard/basic_functions.h"

#define SCHEME "unix://"
#define NAMED "arena:"
#define SUFFIX ".arena"
#define FOLDER "LEVERET_DIR"

/* Without leveret.dir, the environment says where arenas lie; then it is for the administrator to say, and not for
 * putenv(). */
static const char *folder_of_script(void)
{
	bool is_script_s =
		(!LEVERET_G(dir) || !*LEVERET_G(dir)) && zend_hash_str_exists(&BG(putenv_ht), FOLDER, strlen(FOLDER));
	const char *folder = is_script_s ? getenv(FOLDER) : NULL;
	return folder && *folder ? folder : NULL;
}

static bool begins(const char *text, size_t len, const char *word)
{
	return len >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

bool php_leveret_basedir_keeps_from(leveret_bytes name, bool is_host, bool warns)
{
	const char *text = (const char *) name.data;
	size_t len = name.len;
	if (begins(text, len, SCHEME)) {
		text += strlen(SCHEME);
		len -= strlen(SCHEME);
	}
	if (len && *text == '/') {
		char path[MAXPATHLEN];
		bool is_arena = len > strlen(SUFFIX) && memcmp(text + len - strlen(SUFFIX), SUFFIX, strlen(SUFFIX)) == 0;
		if (!is_arena || len >= sizeof(path)) {
			/* A socket, which no extension keeps from anybody; or nothing that could be opened. */
			return is_arena;
		}
		memcpy(path, text, len);
		path[len] = '\0';
		return php_check_open_basedir_ex(path, warns) != 0;
	}
	const char *folder = is_host && !begins(text, len, NAMED) ? NULL : folder_of_script();
	return folder && php_check_open_basedir_ex(folder, warns) != 0;
}

bool php_leveret_directive_is_changed(const char *name)
{
	const zend_ini_entry *entry = zend_hash_str_find_ptr(EG(ini_directives), name, strlen(name));
	return entry && entry->modified;
}
