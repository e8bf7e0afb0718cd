/* queue [items] [producers] [consumers]: a bounded queue under one mutex and two conditions; consumers digest what producers made. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY 64
#define PAYLOAD 128

struct item {
	uint32_t number, bytes;
	unsigned char payload[PAYLOAD];
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	struct item *slots[CAPACITY];
	size_t head, count;
	bool closed;
};

static struct queue queue = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER};
static uint32_t items, next_number;
static pthread_mutex_t number_lock = PTHREAD_MUTEX_INITIALIZER, total_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;

static void put(struct queue *q, struct item *item)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == CAPACITY)
		pthread_cond_wait(&q->not_full, &q->lock);
	q->slots[(q->head + q->count++) % CAPACITY] = item;
	pthread_cond_signal(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

static struct item *take(struct queue *q)
{
	struct item *item = NULL;
	pthread_mutex_lock(&q->lock);
	while (!q->count && !q->closed)
		pthread_cond_wait(&q->not_empty, &q->lock);
	if (q->count) {
		item = q->slots[q->head];
		q->head = (q->head + 1) % CAPACITY;
		q->count--;
		pthread_cond_signal(&q->not_full);
	}
	pthread_mutex_unlock(&q->lock);
	return item;
}

static void close_queue(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

static uint32_t digest(const struct item *item)
{
	uint32_t hash = 2166136261u ^ item->number;
	for (uint32_t i = 0; i < item->bytes; i++)
		hash = (hash ^ item->payload[i]) * 16777619u;
	return hash;
}

static void *produce(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&number_lock);
		uint32_t number = next_number < items ? next_number++ : UINT32_MAX;
		pthread_mutex_unlock(&number_lock);
		if (number == UINT32_MAX)
			return NULL;
		struct item *item = malloc(sizeof *item);
		if (!item)
			abort();
		item->number = number;
		item->bytes = PAYLOAD / 2 + number % (PAYLOAD / 2);
		memset(item->payload, (int)number, sizeof item->payload);
		for (uint32_t i = 0; i < item->bytes; i += 4)
			item->payload[i] = (unsigned char)(number >> (i % 24));
		put(&queue, item);
	}
}

static void *consume(void *unused)
{
	(void)unused;
	uint64_t sum = 0;
	for (struct item *item; (item = take(&queue)); free(item))
		sum += digest(item);
	pthread_mutex_lock(&total_lock);
	total += sum;
	pthread_mutex_unlock(&total_lock);
	return NULL;
}

int main(int argc, char **argv)
{
	items = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
	size_t producers = argc > 2 ? strtoul(argv[2], NULL, 10) : 2;
	size_t consumers = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
	pthread_t *threads = calloc(producers + consumers, sizeof *threads);
	if (!threads)
		return 1;
	for (size_t t = 0; t < producers + consumers; t++)
		if (pthread_create(&threads[t], NULL, t < producers ? produce : consume, NULL))
			return 1;
	for (size_t t = 0; t < producers; t++)
		pthread_join(threads[t], NULL);
	close_queue(&queue);
	for (size_t t = producers; t < producers + consumers; t++)
		pthread_join(threads[t], NULL);
	printf("queue %u: %016llx\n", items, (unsigned long long)total);
	free(threads);
	return 0;
}
