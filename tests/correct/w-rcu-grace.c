/* norn-test
 * silent:
 * unjudged:
 */
/* RCU by hand: readers count themselves in per-thread counters with seq_cst; the writer waits for a grace period and frees. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { READERS = 2 };
struct route {
	int hops;
	char name[12];
};
static _Atomic(struct route *) routes;
static atomic_uint nesting[READERS];
static void read_lock(int me)
{
	atomic_fetch_add(&nesting[me], 1);
}
static void read_unlock(int me)
{
	atomic_fetch_add(&nesting[me], 1);
}
static void synchronize(void)
{
	for (int i = 0; i < READERS; i++) {
		unsigned c = atomic_load(&nesting[i]);
		if (c % 2)
			while (atomic_load(&nesting[i]) == c)
				sched_yield();
	}
}
static struct route *make(int hops)
{
	struct route *r = malloc(sizeof *r);
	r->hops = hops;
	snprintf(r->name, sizeof r->name, "r%d", hops);
	return r;
}
static void *reader(void *arg)
{
	int me = (int)(size_t)arg;
	for (int i = 0; i < 8; i++) {
		read_lock(me);
		struct route *r = atomic_load_explicit(&routes, memory_order_acquire);
		char b[12];
		snprintf(b, sizeof b, "r%d", r->hops);
		assert(!strcmp(b, r->name));
		read_unlock(me);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[READERS];
	atomic_store(&routes, make(1));
	for (size_t i = 0; i < READERS; i++)
		pthread_create(&t[i], NULL, reader, (void *)i);
	for (int i = 2; i < 6; i++) {
		struct route *old = atomic_exchange(&routes, make(i));
		synchronize();
		memset(old, 0xee, sizeof *old);
		free(old);
	}
	for (int i = 0; i < READERS; i++)
		pthread_join(t[i], NULL);
	printf("%s\n", atomic_load(&routes)->name);
	free(atomic_load(&routes));
	return 0;
}
