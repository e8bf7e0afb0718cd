/* norn-test
 * silent:
 * unjudged:
 */
/* A work-stealing deque (Chase and Lev; with the fences of Lê, Pop, Cohen and Zappa Nardelli): items are plain memory, and who gets
 * one owns it. Nothing but fences and relaxed accesses publishes them. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#define ITEMS 12
#define ROOM 16

struct item {
	int value, done;
};
static struct item items[ITEMS];
static struct item *_Atomic slots[ROOM];
static atomic_long top, bottom;
static atomic_int taken;

static void push(struct item *item)
{
	long b = atomic_load_explicit(&bottom, memory_order_relaxed);
	atomic_store_explicit(&slots[b % ROOM], item, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static struct item *pop(void)
{
	long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
	atomic_store_explicit(&bottom, b, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	long t = atomic_load_explicit(&top, memory_order_relaxed);
	struct item *item = NULL;
	if (t <= b) {
		item = atomic_load_explicit(&slots[b % ROOM], memory_order_relaxed);
		if (t != b)
			return item;
		if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
			item = NULL;
	}
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
	return item;
}

static struct item *steal(void)
{
	long t = atomic_load_explicit(&top, memory_order_acquire);
	atomic_thread_fence(memory_order_seq_cst);
	long b = atomic_load_explicit(&bottom, memory_order_acquire);
	if (t >= b)
		return NULL;
	struct item *item = atomic_load_explicit(&slots[t % ROOM], memory_order_relaxed);
	if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
		return NULL;
	return item;
}

static void use(struct item *item)
{
	if (!item) {
		sched_yield();
		return;
	}
	item->done = item->value;
	atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
}

static void *thief(void *unused)
{
	while (atomic_load_explicit(&taken, memory_order_relaxed) < ITEMS)
		use(steal());
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	int sum = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thief, NULL);
	for (int i = 0; i < ITEMS; i++) {
		items[i].value = i;
		push(&items[i]);
		if (i % 3 == 2)
			use(pop());
	}
	while (atomic_load_explicit(&taken, memory_order_relaxed) < ITEMS)
		use(pop());
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ITEMS; i++)
		sum += items[i].done;
	return sum != ITEMS * (ITEMS - 1) / 2;
}
