#include "confirm/replay_area.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>

const char *norn_deed_name(unsigned deed)
{
	static const char *const names[NORN_DEEDS] = {"", "read", "write", "rmw", "lock", "unlock", "wait", "wake", "notify",
	        "take", "post", "arrive", "depart", "once", "make", "unmake", "send", "receive", "fork", "join", "begin", "exit",
	        "call", "free", "mark", "in", "out", "enter"};
	return deed < NORN_DEEDS ? names[deed] : "";
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
void norn_replay_area_let_go(const struct norn_replay_area_parts *p, enum norn_replay_area_over over)
{
	uint32_t goes_on = NORN_REPLAY_AREA_GOES_ON;
	atomic_compare_exchange_strong(&p->stage->over, &goes_on, over);
	for (uint32_t i = 0; i < p->stage->acts; i++) {
		atomic_store(&p->acts[i].waits, 0);
		atomic_store(&p->acts[i].closed, 0);
	}
	for (uint32_t i = 0; i < p->stage->roles; i++) {
		uint32_t at = atomic_load(&p->roles[i].at);
		if (at == 0)
			continue;
		wake(&p->acts[at - 1].waits);
		wake(&p->acts[at - 1].closed);
	}
}
