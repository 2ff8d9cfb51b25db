/* decoded/copy.h: arrays outside PHP's heap, that scripts can use without a copy.
 *
 * PHP copies such an array when a script writes to it. There are two forms. Immutable, as OPcache's constant arrays,
 * its strings interned: it is unknown whether a script still holds it. Refcounted: each array and string in it begins
 * with a refcount of 1 for each place that it has in there, which is ours, so PHP never frees it, and
 * php_leveret_decoded_copy_is_held can tell. (Each place: PHP's cycle collector takes one reference away for each on
 * its way in, and gives it back on its way out.) An array has one place only, strings may have many.
 */
#ifndef PHP_LEVERET_DECODED_COPY_H
#define PHP_LEVERET_DECODED_COPY_H

#include "php.h"

/* Bytes of the copy, or 0: something in the array belongs to this request (an object, a reference, a resource), it is
 * nested too deeply, or these are more than `most`. The array is not empty. */
size_t php_leveret_decoded_copy_size(const zend_array *array, size_t most);
/* Fills `memory`, which has that size and the alignment of malloc; the copy is its first object. */
zend_array *php_leveret_decoded_copy(const zend_array *array, void *memory, bool refcounted);
/* Of a refcounted copy: does a script hold it, or anything in it? */
bool php_leveret_decoded_copy_is_held(const zend_array *array);

#endif
