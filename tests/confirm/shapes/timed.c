/* A wait with a timeout, by the monotonic clock; what it waited for is read without the lock. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
int state, seen;
static void *waiter(void *u)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += 5;
	pthread_mutex_lock(&m);
	while (!state && pthread_cond_timedwait(&c, &m, &t) == 0)
		;
	pthread_mutex_unlock(&m);
	seen = state;
	return u;
}
static void *setter(void *u)
{
	usleep(5000);
	pthread_mutex_lock(&m);
	state = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	usleep(2000);
	state = 2;
	return u;
}
int main(void)
{
	pthread_condattr_t a;
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&c, &a);
	pthread_t t[2];
	pthread_create(&t[0], 0, waiter, 0);
	pthread_create(&t[1], 0, setter, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
