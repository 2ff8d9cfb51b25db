/* codec/compact_objects.h: how objects in the compact form are made. */
#ifndef PHP_LEVERET_CODEC_COMPACT_OBJECTS_H
#define PHP_LEVERET_CODEC_COMPACT_OBJECTS_H

#include "compact_read.h"

extern const php_leveret_compact_objects php_leveret_compact_objects_of_php;

#endif
