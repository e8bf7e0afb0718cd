/* norn-test
 * silent: -mcx16
 * unjudged:
 */
/* A Treiber stack by a 16-byte compare and swap (pointer and counter), nodes used again by their owner only; and one by an inline cmpxchg. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct node {
	struct node *volatile next;
	int value, user;
};
typedef struct {
	struct node *p;
	uint64_t tag;
} __attribute__((aligned(16))) head_t;
typedef unsigned __int128 u128;
static union {
	head_t h;
	volatile u128 w;
} top;
static u128 pack(struct node *p, uint64_t tag)
{
	union {
		head_t h;
		u128 w;
	} x;
	x.h.p = p;
	x.h.tag = tag;
	return x.w;
}
static u128 load(void)
{
	return __sync_val_compare_and_swap(&top.w, 0, 0);
}
static struct node *ptr(u128 w)
{
	return (struct node *)(uintptr_t)w;
}
static uint64_t tag(u128 w)
{
	return (uint64_t)(w >> 64);
}
static void push(struct node *n)
{
	for (;;) {
		u128 old = load();
		__atomic_store_n(&n->next, ptr(old), __ATOMIC_RELAXED);
		if (__sync_bool_compare_and_swap(&top.w, old, pack(n, tag(old) + 1)))
			return;
	}
}
static struct node *pop(void)
{
	for (;;) {
		u128 old = load();
		struct node *n = ptr(old);
		if (!n)
			return NULL;
		struct node *after = __atomic_load_n(&n->next, __ATOMIC_RELAXED);
		if (__sync_bool_compare_and_swap(&top.w, old, pack(after, tag(old) + 1)))
			return n;
	}
}
static int spin;
static void lock(void)
{
	int z;
	do {
		z = 0;
		__asm__ volatile("lock cmpxchgl %2, %1" : "+a"(z), "+m"(spin) : "r"(1) : "memory", "cc");
	} while (z);
}
static void unlock(void)
{
	__asm__ volatile("movl $0, %0" : "=m"(spin) : : "memory");
}
static int uses;
static void *run(void *arg)
{
	int me = (int)(size_t)arg;
	for (int i = 0; i < 6; i++) {
		struct node *n = pop();
		if (!n)
			continue;
		assert(n->user == 0);
		n->user = me;
		n->value++;
		assert(n->user == me);
		n->user = 0;
		push(n);
		lock();
		uses++;
		unlock();
	}
	return NULL;
}
int main(void)
{
	static struct node nodes[4];
	pthread_t t[3];
	for (int i = 0; i < 4; i++)
		push(&nodes[i]);
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	int sum = 0, n = 0;
	for (struct node *p; (p = pop()); n++)
		sum += p->value;
	assert(n == 4 && sum == uses);
	puts("ok");
	return 0;
}
