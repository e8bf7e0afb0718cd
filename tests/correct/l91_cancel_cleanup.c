/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the cleanup handler unlocks the mutex that the cancelled wait took again */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int d, in;
static void undo(void *q)
{
	d++;
	pthread_mutex_unlock(q);
}
T(w)
{
	L(m);
	pthread_cleanup_push(undo, &m);
	in = 1;
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return a;
}
int main(void)
{
	pthread_t x;
	void *r;
	int ok = 0;
	GO(x, w, 0);
	while (!ok) {
		L(m);
		ok = in;
		d += 0;
		U(m);
	}
	pthread_cancel(x);
	L(m);
	d += 10;
	U(m);
	pthread_join(x, &r);
	printf("%d %d\n", d, r == PTHREAD_CANCELED);
	return d != 11;
}
