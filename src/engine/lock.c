#include "engine/lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#define SPINS 100u

/* Not by libc's syscall(), which sets errno and is interposed on. */
static void futex(_Atomic uint32_t *word, long op, long value)
{
	long result;
	register long none __asm__("r10") = 0;
	__asm__ volatile("syscall"
	        : "=a"(result)
	        : "a"(SYS_futex), "D"(word), "S"(op), "d"(value), "r"(none)
	        : "rcx", "r11", "memory");
}

void norn_online_lock(struct norn_online_lock *lock)
{
	for (unsigned spins = 0; spins < SPINS; spins++) {
		uint32_t free = 0;
		if (atomic_compare_exchange_weak_explicit(&lock->word, &free, 1, memory_order_acquire, memory_order_relaxed))
			return;
		__builtin_ia32_pause();
	}
	while (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire))
		futex(&lock->word, FUTEX_WAIT_PRIVATE, 2);
}

void norn_online_unlock(struct norn_online_lock *lock)
{
	if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2)
		futex(&lock->word, FUTEX_WAKE_PRIVATE, 1);
}
