#include "confirm/replay_area.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>

const char *norn_operation_name(unsigned operation)
{
	static const char *const names[NORN_OPERATIONS] = {"", "read", "write", "rmw", "lock", "unlock", "wait", "wake", "notify",
	        "take", "post", "arrive", "depart", "once", "make", "unmake", "send", "receive", "fork", "join", "begin", "exit",
	        "call", "free", "mark", "in", "out", "enter"};
	return operation < NORN_OPERATIONS ? names[operation] : "";
}

/* Directly, as the runtime does all its calls: libc's syscall is interposed there. */
static void wake(_Atomic uint32_t *word)
{
	long result;
	register long all __asm__("rdx") = 0x7fffffff;
	register long none10 __asm__("r10") = 0;
	__asm__ volatile("syscall"
	        : "=a"(result)
	        : "a"(SYS_futex), "D"(word), "S"(FUTEX_WAKE), "r"(all), "r"(none10)
	        : "rcx", "r11", "memory");
}

/* A thread that is about to sleep has stored `at` before it looks at these words for the last time, and the kernel looks once more:
 * either it sees 0, or it sleeps already and is woken. */
void norn_replay_area_release(const struct norn_replay_area_parts *p, enum norn_replay_area_outcome over)
{
	uint32_t goes_on = NORN_REPLAY_AREA_GOES_ON;
	atomic_compare_exchange_strong(&p->head->over, &goes_on, over);
	for (uint32_t i = 0; i < p->head->steps; i++) {
		atomic_store(&p->steps[i].waits, 0);
		atomic_store(&p->steps[i].closed, 0);
	}
	for (uint32_t i = 0; i < p->head->threads; i++) {
		uint32_t at = atomic_load(&p->threads[i].at);
		if (at == 0)
			continue;
		wake(&p->steps[at - 1].waits);
		wake(&p->steps[at - 1].closed);
	}
}
