/* norn-test
 * silent:
 */
/* The work stealing deque of Chase and Lev in the C11 form of Le et al. (PPoPP 2013), fixed size: every item is taken once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 64, ITEMS = 24 };
struct item {
	int number;
	int taken;
};
static atomic_long top, bottom;
static _Atomic(struct item *) ring[SIZE];
static struct item items[ITEMS];
static atomic_int finished;
static void push(struct item *x)
{
	long b = atomic_load_explicit(&bottom, memory_order_relaxed);
	atomic_store_explicit(&ring[b % SIZE], x, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}
static struct item *take(void)
{
	long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
	atomic_store_explicit(&bottom, b, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	long t = atomic_load_explicit(&top, memory_order_relaxed);
	struct item *x = NULL;
	if (t <= b) {
		x = atomic_load_explicit(&ring[b % SIZE], memory_order_relaxed);
		if (t == b) {
			if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
				x = NULL;
			atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
		}
	} else
		atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
	return x;
}
static struct item *steal(void)
{
	long t = atomic_load_explicit(&top, memory_order_acquire);
	atomic_thread_fence(memory_order_seq_cst);
	long b = atomic_load_explicit(&bottom, memory_order_acquire);
	if (t >= b)
		return NULL;
	struct item *x = atomic_load_explicit(&ring[t % SIZE], memory_order_relaxed);
	if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
		return NULL;
	return x;
}
static void use(struct item *x)
{
	assert(x->taken == 0);
	x->taken = 1;
}
static void *thief(void *arg)
{
	long n = 0;
	for (int tries = 0; tries < 200 && !atomic_load_explicit(&finished, memory_order_relaxed); tries++) {
		struct item *x = steal();
		if (x) {
			use(x);
			n++;
		}
	}
	return (void *)n;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thief, NULL);
	long own = 0;
	for (int i = 0; i < ITEMS; i++) {
		items[i].number = i;
		push(&items[i]);
		if (i % 3 == 2) {
			struct item *x = take();
			if (x) {
				use(x);
				own++;
			}
		}
	}
	for (struct item *x; (x = take());) {
		use(x);
		own++;
	}
	atomic_store(&finished, 1);
	for (int i = 0; i < 2; i++) {
		void *r;
		pthread_join(t[i], &r);
		own += (long)r;
	}
	/* take() gives NULL if a thief won the last one; then the deque is empty, too */
	for (struct item *x; (x = steal());) {
		use(x);
		own++;
	}
	for (int i = 0; i < ITEMS; i++)
		assert(items[i].taken == 1);
	assert(own == ITEMS);
	printf("%ld\n", own);
	return 0;
}
