/* codec/damage.h: exceptions that say that data is damaged, and not that code of a script has failed. */
#ifndef PHP_LEVERET_CODEC_DAMAGE_H
#define PHP_LEVERET_CODEC_DAMAGE_H

#include "php.h"

/* Takes away the pending exception if PHP itself has thrown it of data that is no value: where a class cannot be
 * unserialized, or one of PHP's own finds that it is given nothing of its own, as a DateTime without a date does.
 * `readable`: all was read, and then the objects were woken. What code of the script has thrown stays, as with the
 * originals. */
bool php_leveret_take_damage(bool readable);

#endif
