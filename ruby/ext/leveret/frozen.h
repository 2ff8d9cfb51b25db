/* frozen.h: the decoded-value cache: values of frozen: true, each valid only while the arena holds that very
 * version. */
#ifndef RUBY_LEVERET_FROZEN_H
#define RUBY_LEVERET_FROZEN_H

#include "base.h"

typedef struct frozen_values {
	st_table *table;     /* key String -> frozen_value; NULL until the first one */
	size_t bytes, limit; /* an estimate of what they take, and how much they may */
} frozen_values;

/* Once, before anything is kept. */
void frozen_init(void);
/* True: *value is the value of the version that the arena holds now. */
bool frozen_find(frozen_values *values, const leveret_arena *arena, VALUE key, VALUE *value);
/* Freezes a value, all that is in it too, and keeps it for frozen_find. What cannot be frozen so is left as it is. */
VALUE frozen_keep(frozen_values *values, VALUE key, const leveret_found *found, VALUE value);
void frozen_forget(frozen_values *values);
void frozen_mark(frozen_values *values);

#endif
