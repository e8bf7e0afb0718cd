/* norn cc -g -O1 -pthread false_complete_try_result_ignored.c -o w && norn run ./w      (-O0, -O1, -O2: 15 of 15
 * recordings)
 * reported: 0 findings; complete.
 * should be: race on x: if the second sem_trywait comes while the first thread is inside, it fails, nobody looks at the
 * result, and x++ goes on without the semaphore.
 * The same with pthread_mutex_trylock(&m); x++; if (r == 0) unlock, and with the result of pthread_mutex_timedlock that
 * is only counted
 * (three programs, all silent and complete at all levels; ThreadSanitizer: nothing in this order).
 * Section 5: "where a decision depends on it, it comes out as recorded; otherwise it is free, and the effect is that of
 * what happens then". Section 15 has only failed tries as stricter.
 * pthread_mutex_trylock variant: T(w) { int r = pthread_mutex_trylock(&m); x++; if (r == 0) pthread_mutex_unlock(&m);
 * return 0; } */

#include "lucky.h"

/* the result of sem_trywait is not looked at */
static sem_t s;
static int x;
T(w)
{
	F(sem_wait(&s);) W(sem_trywait(&s);) x++;
	sem_post(&s);
	return 0;
} //@
int main(void)
{
	pthread_t t, u;
	sem_init(&s, 0, 1);
	GO(t, w, 1);
	nap(20);
	GO(u, w, 2);
	WAIT(t);
	WAIT(u);
	return x != 2;
}
