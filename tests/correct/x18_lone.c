/* norn-test
 * silent: -DROBUST
 * silent: -DDIED
 * silent: -DTAKEN
 * silent: -DTAKEN_LATER
 * silent: -DPERIODIC
 * silent: -DDRAINED
 * unjudged: -DDIED
 */
/* Right, and near to what tests/correct/wrong/w01, w02 and w04 do. ROBUST: regions of a robust mutex guard x. DIED: its owner dies, and only who is told
 * so touches x. TAKEN: the result of a thread, chosen by what it read under the lock, decides what the joiner does. TAKEN_LATER: the same, by a join in
 * another function. PERIODIC: a timed wait whose result nobody looks at stands in a loop that looks at the flag. DRAINED: a try whose result
 * nobody looks at takes what may be left of a semaphore, which orders nothing. */
#include "correct.h"
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, g;
#if defined(ROBUST) || defined(DIED)
static void make(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &attributes);
}
#endif
#ifdef ROBUST
T(work)
{
	for (int i = 0; i < 3; i++) {
		J();
		L(m);
		x++;
		U(m);
	}
	return a;
}
#elif defined(DIED)
T(dies)
{
	x = 1;
	L(m);
	return a;
}
T(work)
{
	for (int told = 0; !told;) {
		int r = L(m);
		if (r == EOWNERDEAD) {
			x = 2;
			told = 1;
			pthread_mutex_consistent(&m);
		}
		U(m);
		J();
	}
	return a;
}
#elif defined(TAKEN) || defined(TAKEN_LATER)
T(work)
{
	L(m);
	int v = g;
	U(m);
	if (v == 1)
		return (void *)1;
	return 0;
}
T(sets)
{
	x = 1;
	L(m);
	g = 1;
	U(m);
	return a;
}
__attribute__((noinline)) static long take(pthread_t t)
{
	void *result;
	pthread_join(t, &result);
	return (long)result;
}
#elif defined(PERIODIC)
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
T(work)
{
	L(m);
	while (!g) {
		struct timespec until = soon(2000);
		pthread_cond_timedwait(&c, &m, &until);
	}
	U(m);
	x++;
	return a;
}
T(sets)
{
	x = 1;
	L(m);
	g = 1;
	pthread_cond_signal(&c);
	U(m);
	return a;
}
#else
static sem_t s;
T(work)
{
	sem_trywait(&s);
	L(m);
	x++;
	U(m);
	return a;
}
#endif
int main(void)
{
	pthread_t t, u;
#ifdef ROBUST
	make();
	GO(t, work, 0);
	GO(u, work, 0);
	WAIT(t);
	WAIT(u);
#elif defined(DIED)
	make();
	GO(t, work, 0);
	GO(u, dies, 0);
	WAIT(t);
	WAIT(u);
#elif defined(TAKEN) || defined(TAKEN_LATER)
	GO(u, sets, 0);
	J();
	GO(t, work, 0);
#ifdef TAKEN
	void *result;
	pthread_join(t, &result);
	if (result)
		x = 2;
#else
	if (take(t))
		x = 2;
#endif
	WAIT(u);
#elif defined(PERIODIC)
	GO(t, work, 0);
	J();
	GO(u, sets, 0);
	WAIT(t);
	WAIT(u);
#else
	sem_init(&s, 0, 2);
	GO(t, work, 0);
	GO(u, work, 0);
	WAIT(t);
	WAIT(u);
#endif
	return x == 77;
}
