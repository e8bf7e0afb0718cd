/* norn-test
 * silent:
 * unjudged:
 */
/* Ticket, MCS, CLH, Peterson and Dekker locks of atomics guard a pair that must agree. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static struct {
	int a, b;
} pair[5];
static void touch(int k)
{
	assert(pair[k].a == pair[k].b);
	pair[k].a++;
	pair[k].b = pair[k].a;
}
static atomic_uint next_ticket, serving;
static void ticket(void)
{
	unsigned t = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
	while (atomic_load_explicit(&serving, memory_order_acquire) != t)
		sched_yield();
	touch(0);
	atomic_store_explicit(&serving, t + 1, memory_order_release);
}
struct mcs {
	_Atomic(struct mcs *) next;
	atomic_int wait;
};
static _Atomic(struct mcs *) mcs_tail;
static void mcs(void)
{
	struct mcs n = {NULL, 1}, *p = atomic_exchange_explicit(&mcs_tail, &n, memory_order_acq_rel);
	if (p) {
		atomic_store_explicit(&p->next, &n, memory_order_release);
		while (atomic_load_explicit(&n.wait, memory_order_acquire))
			sched_yield();
	}
	touch(1);
	struct mcs *s = atomic_load_explicit(&n.next, memory_order_acquire), *me = &n;
	if (!s) {
		if (atomic_compare_exchange_strong_explicit(&mcs_tail, &me, NULL, memory_order_acq_rel, memory_order_relaxed))
			return;
		while (!(s = atomic_load_explicit(&n.next, memory_order_acquire)))
			sched_yield();
	}
	atomic_store_explicit(&s->wait, 0, memory_order_release);
}
struct clh {
	atomic_int held;
};
static _Atomic(struct clh *) clh_tail;
static struct clh *clh(struct clh *mine)
{
	atomic_store_explicit(&mine->held, 1, memory_order_relaxed);
	struct clh *before = atomic_exchange_explicit(&clh_tail, mine, memory_order_acq_rel);
	while (atomic_load_explicit(&before->held, memory_order_acquire))
		sched_yield();
	touch(2);
	atomic_store_explicit(&mine->held, 0, memory_order_release);
	return before;
}
static atomic_int want[2], victim;
static void peterson(int me)
{
	atomic_store(&want[me], 1);
	atomic_store(&victim, me);
	while (atomic_load(&want[!me]) && atomic_load(&victim) == me)
		sched_yield();
	touch(3);
	atomic_store_explicit(&want[me], 0, memory_order_release);
}
static atomic_int flag[2], turn;
static void dekker(int me)
{
	atomic_store(&flag[me], 1);
	while (atomic_load(&flag[!me]))
		if (atomic_load(&turn) != me) {
			atomic_store(&flag[me], 0);
			while (atomic_load(&turn) != me)
				sched_yield();
			atomic_store(&flag[me], 1);
		}
	touch(4);
	atomic_store(&turn, !me);
	atomic_store(&flag[me], 0);
}
static void *run(void *arg)
{
	int me = (int)(size_t)arg;
	struct clh *node = calloc(1, sizeof *node);
	for (int i = 0; i < 4; i++) {
		ticket();
		mcs();
		node = clh(node);
		peterson(me);
		dekker(me);
	}
	return node;
}
int main(void)
{
	pthread_t t[2];
	atomic_store(&clh_tail, calloc(1, sizeof(struct clh)));
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++) {
		void *n;
		pthread_join(t[i], &n);
		free(n);
	}
	free(atomic_load(&clh_tail));
	for (int i = 0; i < 5; i++) {
		assert(pair[i].a == 8 && pair[i].b == 8);
		printf("%d\n", pair[i].a);
	}
	return 0;
}
