/* A pool of threads without hooks: jobs are called back, and pool_wait returns when all are done. It sleeps and wakes by mutex and condition. */
#include "k-part.h"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
static struct {
	part_fn *f;
	void *a;
} q[256];
static int head, tail, open_jobs, stop;
static pthread_t t[2];
static void *work(void *a)
{
	pthread_mutex_lock(&m);
	for (;;) {
		while (head == tail && !stop)
			pthread_cond_wait(&c, &m);
		if (head == tail)
			break;
		part_fn *f = q[head].f;
		void *x = q[head++].a;
		pthread_mutex_unlock(&m);
		f(x);
		pthread_mutex_lock(&m);
		if (!--open_jobs)
			pthread_cond_broadcast(&idle);
	}
	pthread_mutex_unlock(&m);
	return a;
}
void pool_start(void)
{
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
}
void pool_submit(part_fn *f, void *a)
{
	pthread_mutex_lock(&m);
	q[tail].f = f;
	q[tail++].a = a;
	open_jobs++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
}
void pool_wait(void)
{
	pthread_mutex_lock(&m);
	while (open_jobs)
		pthread_cond_wait(&idle, &m);
	pthread_mutex_unlock(&m);
}
void pool_stop(void)
{
	pthread_mutex_lock(&m);
	stop = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
}
