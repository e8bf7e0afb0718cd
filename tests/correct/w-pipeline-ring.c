/* norn-test
 * silent:
 * unjudged:
 */
/* A pipeline of three stages over single-producer single-consumer rings with cached indices, as in fast queues; buffers come back by a second ring. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
enum { RING = 4, ITEMS = 14, BUFFERS = 3 };
struct buffer {
	int n, stage;
	long value;
};
struct ring {
	_Atomic unsigned head;
	unsigned cached_tail;
	char pad[48];
	_Atomic unsigned tail;
	unsigned cached_head;
	struct buffer *slot[RING];
};
static int put(struct ring *r, struct buffer *b)
{
	unsigned t = atomic_load_explicit(&r->tail, memory_order_relaxed);
	if (t - r->cached_head == RING) {
		r->cached_head = atomic_load_explicit(&r->head, memory_order_acquire);
		if (t - r->cached_head == RING)
			return 0;
	}
	r->slot[t % RING] = b;
	atomic_store_explicit(&r->tail, t + 1, memory_order_release);
	return 1;
}
static struct buffer *get(struct ring *r)
{
	unsigned h = atomic_load_explicit(&r->head, memory_order_relaxed);
	if (h == r->cached_tail) {
		r->cached_tail = atomic_load_explicit(&r->tail, memory_order_acquire);
		if (h == r->cached_tail)
			return NULL;
	}
	struct buffer *b = r->slot[h % RING];
	r->slot[h % RING] = NULL;
	atomic_store_explicit(&r->head, h + 1, memory_order_release);
	assert(b != NULL);
	return b;
}
static struct ring a, b, back;
static void *source(void *arg)
{
	struct buffer mine[BUFFERS];
	int have = BUFFERS;
	struct buffer *spare[BUFFERS];
	for (int i = 0; i < BUFFERS; i++) {
		spare[i] = &mine[i];
		mine[i].stage = 0;
	}
	for (int i = 0; i < ITEMS; i++) {
		while (!have) {
			struct buffer *x = get(&back);
			if (x) {
				assert(x->stage == 3);
				x->stage = 0;
				spare[have++] = x;
			} else
				sched_yield();
		}
		struct buffer *x = spare[--have];
		x->n = i;
		x->value = i;
		x->stage = 1;
		while (!put(&a, x))
			sched_yield();
	}
	while (have < BUFFERS) {
		struct buffer *x = get(&back);
		if (x) {
			assert(x->stage == 3);
			have++;
		} else
			sched_yield();
	}
	return arg;
}
static void *middle(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		struct buffer *x;
		while (!(x = get(&a)))
			sched_yield();
		assert(x->n == i && x->stage == 1);
		x->value = x->value * x->value;
		x->stage = 2;
		while (!put(&b, x))
			sched_yield();
	}
	return arg;
}
static void *sink(void *arg)
{
	long sum = 0;
	for (int i = 0; i < ITEMS; i++) {
		struct buffer *x;
		while (!(x = get(&b)))
			sched_yield();
		assert(x->n == i && x->stage == 2 && x->value == (long)i * i);
		sum += x->value;
		x->stage = 3;
		while (!put(&back, x))
			sched_yield();
	}
	*(long *)arg = sum;
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	long sum;
	pthread_create(&t[0], NULL, source, NULL);
	pthread_create(&t[1], NULL, middle, NULL);
	pthread_create(&t[2], NULL, sink, &sum);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(sum == 819);
	printf("%ld\n", sum);
	return 0;
}
