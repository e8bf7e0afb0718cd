/* Detached threads count themselves off under a lock; what they note before that is not guarded. */
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int left = 3, last;
static void *work(void *n)
{
	last = (int)(long)n;
	pthread_mutex_lock(&m);
	if (--left == 0)
		pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_t t;
	for (long i = 0; i < 3; i++)
		pthread_create(&t, &a, work, (void *)i);
	pthread_mutex_lock(&m);
	while (left)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return last < 0;
}
