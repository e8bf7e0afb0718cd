/* norn-test
 * silent:
 * unjudged:
 */
/* Each waiter has a condition of its own on its stack, queued first in, first out; the waker takes it off the queue and hands the permit over directly. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
struct waiter {
	struct waiter *next;
	pthread_cond_t cond;
	int granted;
};
static struct {
	pthread_mutex_t lock;
	int permits;
	struct waiter *head, **tail;
} fair = {PTHREAD_MUTEX_INITIALIZER, 2, NULL, &fair.head};
static int inside, most, served;
static void acquire(void)
{
	pthread_mutex_lock(&fair.lock);
	if (fair.permits > 0 && !fair.head)
		fair.permits--;
	else {
		struct waiter w = {NULL, PTHREAD_COND_INITIALIZER, 0};
		*fair.tail = &w;
		fair.tail = &w.next;
		while (!w.granted)
			pthread_cond_wait(&w.cond, &fair.lock);
		pthread_cond_destroy(&w.cond);
	}
	pthread_mutex_unlock(&fair.lock);
}
static void release(void)
{
	pthread_mutex_lock(&fair.lock);
	struct waiter *w = fair.head;
	if (w) {
		fair.head = w->next;
		if (!fair.head)
			fair.tail = &fair.head;
		w->granted = 1;
		pthread_cond_signal(&w->cond);
	} else
		fair.permits++;
	pthread_mutex_unlock(&fair.lock);
}
static void *client(void *arg)
{
	static pthread_mutex_t count = PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < 4; i++) {
		acquire();
		pthread_mutex_lock(&count);
		inside++;
		assert(inside <= 2);
		if (inside > most)
			most = inside;
		pthread_mutex_unlock(&count);
		pthread_mutex_lock(&count);
		served++;
		inside--;
		pthread_mutex_unlock(&count);
		release();
	}
	return arg;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, client, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(served == 16 && fair.permits == 2 && !fair.head && most <= 2);
	printf("%d\n", served);
	return 0;
}
