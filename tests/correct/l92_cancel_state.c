/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the thread is cancelled only where it allows it, after its lock is free */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;
static sem_t s;
T(w)
{
	int o;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &o);
	sem_post(&s);
	for (int i = 0; i < 3; i++) {
		L(m);
		d++;
		usleep(10);
		U(m);
	}
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &o);
	for (;;)
		pause();
	return a;
}
int main(void)
{
	pthread_t x;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	sem_wait(&s);
	pthread_cancel(x);
	L(m);
	d++;
	U(m);
	WAIT(x);
	printf("%d\n", d);
	return d != 4;
}
