/* norn-test
 * silent:
 */
/* Correct: locks, conditions and semaphores that are waited for by a clock */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int d, ready;
static struct timespec later(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += 60;
	return t;
}
T(w)
{
	struct timespec t = later();
	if (pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t))
		abort();
	while (!ready)
		pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &t);
	d++;
	U(m);
	if (pthread_rwlock_clockwrlock(&r, CLOCK_MONOTONIC, &t))
		abort();
	d++;
	pthread_rwlock_unlock(&r);
	sem_post(&s);
	return a;
}
int main(void)
{
	pthread_t x;
	struct timespec t = later();
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	J();
	L(m);
	d = 1;
	ready = 1;
	pthread_cond_signal(&c);
	U(m);
	if (sem_clockwait(&s, CLOCK_MONOTONIC, &t))
		abort();
	d++;
	if (pthread_clockjoin_np(x, 0, CLOCK_MONOTONIC, &t))
		abort();
	printf("%d\n", d);
	return d != 4;
}
