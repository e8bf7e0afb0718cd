/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* timed wait surely times out before signal: signaller starts after timeout by sem */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int d;
T(w)
{
	sem_wait(&s);
	d++;
	L(m);
	pthread_cond_signal(&c);
	U(m);
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	L(m);
	struct timespec t = soon(300);
	pthread_cond_timedwait(&c, &m, &t);
	U(m);
	d = 1;
	sem_post(&s);
	WAIT(x);
	return d != 2;
}
