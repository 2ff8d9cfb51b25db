/* Included before all else where a release's extension is built in a newer Debian. Since 2.38 glibc gives whoever asks for _GNU_SOURCE, as
 * PHP does, the strtol and sscanf of C23, which read 0b101 too and are missing in older ones. Nothing here reads such numbers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <features.h>
/* The name in glibc 2.38 and 2.39, and the one since. */
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0
