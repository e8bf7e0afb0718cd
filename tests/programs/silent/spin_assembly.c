/* norn-test
 * silent:
 * silent: -DWAITS
 * silent: -DADDRESS
 */
/* A spin lock of inline assembly, whose end is a plain move that clobbers memory, or that has its address in a register; and a flag that is stored and loaded so. */
#include <sched.h>

#include "crew.h"

static int held, flag, guarded, handed;

static void lock(void)
{
	for (int old = 1;; old = 1, sched_yield()) {
#ifdef ADDRESS
		__asm__ volatile("xchgl %0, (%1)" : "+r"(old) : "r"(&held) : "memory");
#else
		__asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(held) : : "memory");
#endif
		if (!old)
			return;
	}
}

static void unlock(void)
{
#ifdef ADDRESS
	int free = 0;
	__asm__ volatile("xchgl %0, (%1)" : "+r"(free) : "r"(&held) : "memory");
#else
	__asm__ volatile("movl $0, %0" : "=m"(held) : : "memory");
#endif
}

static int is_set(void)
{
	int value;
	__asm__ volatile("movl %1, %0" : "=r"(value) : "m"(flag) : "memory");
	return value;
}

static void *work(void *argument)
{
#ifdef WAITS
	if (number_of(argument) == 0) {
		handed = 1;
		__asm__ volatile("movl $1, %0" : "=m"(flag) : : "memory");
		return NULL;
	}
	while (!is_set())
		sched_yield();
	if (handed != 1)
		return NULL;
#endif
	lock();
	guarded++;
	unlock();
	return NULL;
}

int main(void)
{
	crew(4, work);
	(void)is_set;
	return guarded < 3;
}
