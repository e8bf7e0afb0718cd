/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_queue.prop
 * no-finding: yes
 */
/* A producer and a consumer; the consumer comes first, finds nothing, and that is no consumption. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static void *slot;
static int item;

__attribute__((noinline)) static int queue_put(void **queue, void *what)
{
	pthread_mutex_lock(&lock);
	*queue = what;
	pthread_cond_signal(&change);
	pthread_mutex_unlock(&lock);
	return 1;
}

__attribute__((noinline)) static void *queue_get(void **queue)
{
	pthread_mutex_lock(&lock);
	void *what = *queue;
	*queue = NULL;
	pthread_mutex_unlock(&lock);
	return what;
}

static void *produce(void *unused)
{
#ifdef BAD
	slot = &item; /* past the function */
#else
	queue_put(&slot, &item);
#endif
	return unused;
}

int main(void)
{
	pthread_t t;
	if (queue_get(&slot))
		return queue_put(&slot, NULL);
	pthread_create(&t, NULL, produce, NULL);
	pthread_join(t, NULL);
	return queue_get(&slot) != &item;
}
