/* apcu/search.h: the conditions of an APCUIterator, and its walk. */
#ifndef PHP_LEVERET_APCU_SEARCH_H
#define PHP_LEVERET_APCU_SEARCH_H

#include "base/walk.h"
#include "apcu.h"

typedef struct apcu_search {
	zend_string
		*regex; /* NULL: every key. Not its compiled form: that may be gone when a request's last objects are freed */
	HashTable *keys; /* a set of keys to be asked for one by one; NULL: walk through all */
	bool keys_only;  /* nothing else of the items is wanted: *found is undefined */
} apcu_search;

/* Where a walk stands. */
typedef struct apcu_position {
	php_leveret_walk walk;
	HashPosition key;
	zend_string
		*candidate; /* keys that are compared with the regular expression, one after the other; NULL: none yet */
	size_t candidate_room;
} apcu_position;

void php_leveret_apcu_search_free(apcu_search *search);
void php_leveret_apcu_position_start(leveret_arena *arena, const apcu_search *search, apcu_position *position);
void php_leveret_apcu_position_end(apcu_position *position);
/* The next item that is searched for: *key is a new string. False at the end. Runs no user code. */
bool php_leveret_apcu_position_next(
	const apcu_search *search, apcu_position *position, leveret_found *found, zend_string **key);

#endif
