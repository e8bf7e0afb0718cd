/* The kinds of locks in words (enum norn_lock_kind). */
#ifndef NORN_TRACE_LOCK_KIND_H
#define NORN_TRACE_LOCK_KIND_H

#include <stdint.h>

const char *norn_lock_kind_name(uint64_t kind); /* "robust mutex"; NULL: there is no such kind */
const char *norn_lock_word(uint64_t kind); /* what one calls a lock of that kind: "mutex", "rwlock", "spinlock", or just "lock" */

#endif
