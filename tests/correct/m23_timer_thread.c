/* norn-test
 * silent: -lrt
 * unjudged:
 */
/* Correct: the callback's thread is started by libc after timer_settime, after the data are written */
#include "correct.h"
#include <signal.h>
static sem_t s;
static int d;
static void cb(union sigval v)
{
	d += *(int *)v.sival_ptr;
	sem_post(&s);
}
int main(void)
{
	static int k = 2;
	timer_t t;
	sem_init(&s, 0, 0);
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = cb, .sigev_value.sival_ptr = &k};
	if (timer_create(CLOCK_MONOTONIC, &e, &t))
		abort();
	d = 40;
	timer_settime(t, 0, &(struct itimerspec){.it_value = {0, 100000}}, 0);
	sem_wait(&s);
	d += 0;
	printf("%d\n", d);
	timer_delete(t);
	return d != 42;
}
