/* A bounded queue: a ring of slots, a lock, two conditions.
 *
 * queue_take claims the oldest slot under the lock, but takes the item out after it has given the lock up. A fast producer may have come round by
 * then and filled the slot again. Most runs show nothing of it. FIXED: the item is taken under the lock. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define SLOTS 2
#define ITEMS 5
#define KEEP __attribute__((noinline)) /* functions that the property names */

static int ring[SLOTS];

static struct {
	pthread_mutex_t lock;
	pthread_cond_t has_room, has_items;
	unsigned head, count;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

KEEP static void slot_fill(int i, int item)
{
	ring[i] = item;
}

KEEP static int slot_empty(int i)
{
	return ring[i];
}

static void queue_put(int item)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == SLOTS)
		pthread_cond_wait(&queue.has_room, &queue.lock);
	slot_fill((int)((queue.head + queue.count) % SLOTS), item);
	queue.count++;
	pthread_cond_signal(&queue.has_items);
	pthread_mutex_unlock(&queue.lock);
}

static int queue_take(void)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == 0)
		pthread_cond_wait(&queue.has_items, &queue.lock);
	int slot = (int)queue.head;
	queue.head = (queue.head + 1) % SLOTS;
	queue.count--;
	pthread_cond_signal(&queue.has_room);
#ifdef FIXED
	int item = slot_empty(slot);
	pthread_mutex_unlock(&queue.lock);
#else
	pthread_mutex_unlock(&queue.lock);
	int item = slot_empty(slot);
#endif
	return item;
}

static void *producer(void *unused)
{
	for (int i = 1; i <= ITEMS; i++)
		queue_put(i);
	return unused;
}

static void *consumer(void *sum)
{
	for (int i = 1; i <= ITEMS; i++) {
		*(int *)sum += queue_take();
		usleep(2000); /* using an item takes time, making one does not: the queue is full most of the time */
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int sum = 0;
	if (pthread_create(&threads[0], NULL, producer, NULL) || pthread_create(&threads[1], NULL, consumer, &sum))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("sum %d\n", sum);
	return 0;
}
