/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_life.prop
 * no-finding: yes
 */
/* Queues whose memory is used again and again. Some are given back to malloc without queue_free, which ends them all the same: the next
 * one at that address is another queue. */
#include <pthread.h>
#include <stdlib.h>

struct queue {
	int items[4], count;
};

__attribute__((noinline)) static void queue_init(struct queue *q)
{
	q->count = 0;
}

__attribute__((noinline)) static void queue_free(struct queue *q)
{
	q->count = -1;
}

__attribute__((noinline)) static void queue_put(struct queue *q, int item)
{
	q->items[q->count++ & 3] = item;
}

__attribute__((noinline)) static int queue_get(struct queue *q)
{
	return q->items[--q->count & 3];
}

static void *work(void *unused)
{
	int sum = 0;
	for (int i = 0; i < 500; i++) {
		struct queue *q = malloc(sizeof *q);
		queue_init(q);
		queue_put(q, i);
		sum += queue_get(q);
		if (i % 3)
			queue_free(q);
#ifdef BAD
		if (i == 400)
			queue_put(q, 1);
#endif
		free(q);
	}
	return sum == 124750 ? unused : "wrong";
}

int main(void)
{
	pthread_t threads[2];
	void *result;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	int wrong = 0;
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &result);
		wrong |= result != NULL;
	}
	return wrong;
}
