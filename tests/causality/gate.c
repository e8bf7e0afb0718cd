/* Forces a schedule that Norn does not see: compiled without it, and it calls nothing that Norn interposes on.
 * The schedule is the program's argument, a word whose letters are steps; a step ends when the thread comes to its next one. With GATES_OPEN in the
 * environment no gate holds anybody. */
#include "gate.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static const char *_Atomic schedule; /* NULL: the gates are not open yet */
static _Atomic unsigned now, arrived;
static atomic_bool taken, others;
static _Thread_local int inside, here;
static bool open; /* before any thread is there */

__attribute__((constructor)) static void look_whether_open(void)
{
	open = getenv("GATES_OPEN");
}

void gate_open(const char *steps)
{
	atomic_store(&schedule, steps);
}

void gate_leave(void)
{
	if (inside)
		atomic_fetch_add(&now, 1);
	inside = 0;
}

void gate_gather(unsigned threads)
{
	while (!open && atomic_load(&arrived) < threads)
		sched_yield();
}

void gate(char step)
{
	gate_leave();
	if (!here)
		atomic_fetch_add(&arrived, 1);
	here = 1;
	for (const char *steps; !open && (!(steps = atomic_load(&schedule)) || steps[atomic_load(&now)] != step);)
		sched_yield();
	inside = 1;
}

void gate_first(void)
{
	if (!atomic_exchange(&taken, true))
		return;
	while (!open && !atomic_load(&others))
		sched_yield();
}

void gate_others(void)
{
	atomic_store(&others, true);
}

void gate_until_free(const pthread_mutex_t *mutex)
{
	while (!open && __atomic_load_n(&mutex->__data.__lock, __ATOMIC_ACQUIRE) != 0) /* glibc's */
		sched_yield();
}
