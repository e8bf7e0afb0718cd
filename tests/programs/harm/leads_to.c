/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race counted predicted
 * consequence: ^lost-update counted: then the update by main/[12] at leads_to.c:\d+ can be lost: main/[12] reads counted before it .* so that it is 1 instead of 2$
 * consequence: ^lost-update balance: then the update by main/[12] .* can be lost: main/[12] reads balance
 * consequence: ^nothing same: whichever comes first, nothing that this run shows changes: the value is 7 either way$
 * consequence: ^(decision|value) stop: if the read comes first, main/2 reads 0 instead of 1 at leads_to.c:\d+
 * consequence: ^value last: if the write of main/1 at leads_to.c:\d+ comes last, last is 1 instead of 2 then$
 * consequence: ^assertion level: if the write comes first, main/1 reads 5 instead of 3 at leads_to.c:\d+, and the assertion at leads_to.c:\d+ fails: level == 3$
 * fix: ^race counted: hold one mutex, a new one, at leads_to.c:\d+ \(first\) and at leads_to.c:\d+ \(second\)$
 * fix: ^race last: hold one mutex, a new one, at .* \(which of the accesses comes first stays open\)$
 * silent: -DRIGHT
 */
/* Races, each with another consequence. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counted, balance = 100, same, stop, last, level = 3, stopped;

#ifdef RIGHT
#define LOCK pthread_mutex_lock(&lock)
#define UNLOCK pthread_mutex_unlock(&lock)
#else
#define LOCK (void)0
#define UNLOCK (void)0
#endif

static void change(int amount)
{
	LOCK;
	balance += amount;
	UNLOCK;
}

static void *first(void *unused)
{
	gate('a');
	LOCK;
	counted++;
	same = 7;
	stop = 1;
	last = 1;
#ifndef RIGHT
	assert(level == 3);
#endif
	UNLOCK;
	change(10);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	LOCK;
	counted++;
	same = 7;
	last = 2;
	level = 5;
	if (stop)
		stopped = 1;
	UNLOCK;
	change(-30);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL) || counted + stopped > 3;
}
