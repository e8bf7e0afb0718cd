/* norn-test
 * silent:
 * unjudged:
 */
/* Nodes of a lock-free stack are kept for later, and freed when a counter of threads inside says that nobody else is there. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct node {
	struct node *next, *garbage;
	int v;
};
static _Atomic(struct node *) top, pile;
static atomic_int inside, pushed, popped, freed;
static void push(int v)
{
	struct node *n = malloc(sizeof *n);
	n->v = v;
	n->garbage = NULL;
	n->next = atomic_load(&top);
	while (!atomic_compare_exchange_weak(&top, &n->next, n))
		;
	atomic_fetch_add(&pushed, 1);
}
static void chain(struct node *first, struct node *last)
{
	last->garbage = atomic_load(&pile);
	while (!atomic_compare_exchange_weak(&pile, &last->garbage, first))
		;
}
static void drop(struct node *n)
{
	while (n) {
		struct node *k = n->garbage;
		n->v = -1;
		free(n);
		atomic_fetch_add(&freed, 1);
		n = k;
	}
}
/* Williams, C++ Concurrency in Action, 7.2.2: who is alone frees what it popped itself, and the pile it took while it still was alone */
static void reclaim(struct node *mine)
{
	if (atomic_load(&inside) == 1) {
		struct node *p = atomic_exchange(&pile, NULL);
		if (atomic_fetch_sub(&inside, 1) == 1)
			drop(p);
		else if (p) {
			struct node *last = p;
			while (last->garbage)
				last = last->garbage;
			chain(p, last);
		}
		if (mine) {
			mine->garbage = NULL;
			drop(mine);
		}
	} else {
		if (mine)
			chain(mine, mine);
		atomic_fetch_sub(&inside, 1);
	}
}
static int pop(void)
{
	atomic_fetch_add(&inside, 1);
	struct node *n = atomic_load(&top);
	while (n && !atomic_compare_exchange_strong(&top, &n, n->next))
		;
	int v = n ? n->v : 0;
	if (n) {
		assert(v > 0);
		atomic_fetch_add(&popped, 1);
	}
	reclaim(n);
	return v;
}
static void *run(void *arg)
{
	for (int i = 1; i < 6; i++) {
		push((int)(size_t)arg * 10 + i);
		pop();
	}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	while (pop())
		;
	drop(atomic_load(&pile));
	assert(pushed == popped && freed == pushed);
	printf("%d\n", pushed);
	return 0;
}
