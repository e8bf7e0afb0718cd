/* A lock inside the program: libc's are interposed on, and may be the program's own. Held for a moment, by a thread that no signal
 * handler interrupts. */
#ifndef NORN_ENGINE_LOCK_H
#define NORN_ENGINE_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

struct norn_online_lock {
	_Atomic uint32_t word; /* 0 free, 1 held, 2 held and waited for */
};

void norn_online_lock(struct norn_online_lock *lock);
void norn_online_unlock(struct norn_online_lock *lock);

#endif
