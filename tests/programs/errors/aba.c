/* norn-test
 * errors: yes
 * schedule: aba
 * cc: -DFREES
 * cc: -DREUSES
 * finding: ^use-after-free .*(predicted|observed) at aba.c:\d+ (take_all|pop) free by main/2, aba.c:\d+ pop read by main/1
 * silent: -DKEEPS
 * silent: -DLOCKED
 * silent: -DLATE
 */
/* A stack without a lock: who pops reads the node below the top, and puts it on top if the top is still the same. Meanwhile another thread takes the node, and frees it (FREES), or has it
 * allocated once more and pushed again (REUSES: the same address comes back, and the exchange succeeds: ABA). Silent: nodes are kept, popping is under a lock, or nodes are freed when all
 * threads are gone (LATE). */
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct node {
	struct node *next, *later;
	long value;
};
static _Atomic(struct node *) top;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *gone;
long sum;

static void push(struct node *node)
{
	node->next = atomic_load(&top);
	while (!atomic_compare_exchange_weak(&top, &node->next, node))
		;
}

__attribute__((noinline)) static struct node *pop(int step)
{
#ifdef LOCKED
	pthread_mutex_lock(&lock);
#endif
	struct node *node = atomic_load(&top);
	while (node) {
		struct node *next = node->next;
		if (step) {
			gate_leave();
			gate('a');
			step = 0;
		}
		if (atomic_compare_exchange_strong(&top, &node, next))
			break;
	}
#ifdef LOCKED
	pthread_mutex_unlock(&lock);
#endif
	return node;
}

static void drop(struct node *node)
{
#if defined(KEEPS)
	(void)node;
#elif defined(LATE)
	node->later = gone;
	gone = node;
#else
	free(node);
#endif
}

__attribute__((noinline)) static void take_all(void)
{
	struct node *node = pop(0);
	if (!node)
		return;
#if defined(FREES) || defined(REUSES)
	free(node);
#else
	drop(node);
#endif
#ifdef REUSES
	node = malloc(sizeof *node);
	node->value = 3;
	push(node);
#endif
}

static void *one(void *unused)
{
	gate('a');
#ifdef LOCKED
	struct node *node = pop(0);
#else
	struct node *node = pop(1);
#endif
	if (node)
		sum = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	take_all();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		struct node *node = malloc(sizeof *node);
		node->value = i;
		push(node);
	}
	if (argc < 2 || play(argv, one, two, NULL))
		return 1;
	while (gone) {
		struct node *later = gone->later;
		free(gone);
		gone = later;
	}
	return 0;
}
