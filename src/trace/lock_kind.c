#include "trace/lock_kind.h"

#include <stddef.h>

#include "trace/record.h"

const char *norn_lock_kind_name(uint64_t kind)
{
	static const char *const names[] = {[NORN_LOCK_MUTEX] = "mutex",
	        [NORN_LOCK_RWLOCK] = "rwlock",
	        [NORN_LOCK_SPIN] = "spinlock",
	        [NORN_LOCK_COND] = "condition",
	        [NORN_LOCK_SEM] = "semaphore",
	        [NORN_LOCK_BARRIER] = "barrier",
	        [NORN_LOCK_ONCE] = "once",
	        [NORN_LOCK_ROBUST] = "robust mutex",
	        [NORN_LOCK_WRITERS] = "rwlock that prefers writers"};
	return kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const char *norn_lock_word(uint64_t kind)
{
	switch (kind) {
	case NORN_LOCK_MUTEX:
	case NORN_LOCK_ROBUST:
		return "mutex";
	case NORN_LOCK_RWLOCK:
	case NORN_LOCK_WRITERS:
		return "rwlock";
	case NORN_LOCK_SPIN:
		return "spinlock";
	default:
		return "lock";
	}
}
