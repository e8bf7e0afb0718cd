/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -DSTACK settle.o
 * cc: -DSWAP settle.o
 * cc: -DQUEUE settle.o
 * check: --model $SRC/../settle.model
 * check-exit: 3
 * note: a use after free or a double free may be missing
 */
/* Wrong, by a pointer that was read and is freed by another thread before it is used: STACK: Treiber's pop. SWAP: two threads replace one buffer, and
 * each frees the old one. QUEUE: the first job is looked at in one region, and taken off in another. What would be done with the pointer then was not
 * recorded, and the verdict says so. */
#include "alone.h"
MUTEX(m);
#ifdef STACK
struct node {
	struct node *next;
	int v;
};
static _Atomic(struct node *) top;
static struct node *pop(void)
{
	RIGHT(L(m);)
	struct node *first = atomic_load(&top);
	while (first && !atomic_compare_exchange_strong(&top, &first, first->next))
		;
	RIGHT(U(m);)
	return first;
}
T(work)
{
	for (int i = 0; i < 4; i++) {
		struct node *n = pop();
		if (n) {
			n->v++;
			free(n);
		}
	}
	return a;
}
static void prepare(void)
{
	for (int i = 0; i < 8; i++) {
		struct node *n = malloc(sizeof *n);
		n->v = i;
		n->next = atomic_load(&top);
		atomic_store(&top, n);
	}
}
#elif defined(SWAP)
static _Atomic(char *) buffer;
T(work)
{
	char *new = malloc(32);
	RIGHT(L(m);)
	char *old = atomic_load(&buffer);
	atomic_store(&buffer, new);
	RIGHT(U(m);)
	free(old);
	return a;
}
static void prepare(void)
{
	buffer = malloc(32);
}
#else
struct job {
	int v;
};
static struct job *jobs[8], **head = jobs;
T(work)
{
	for (int i = 0; i < 4; i++) {
		L(m);
		struct job *j = *head;
		WRONG(U(m); L(m);)
		head++;
		U(m);
		j->v++;
		free(j);
	}
	return a;
}
static void prepare(void)
{
	for (int i = 0; i < 8; i++)
		jobs[i] = calloc(1, sizeof **jobs);
}
#endif
int main(void)
{
	pthread_t t, u;
	prepare();
	GO(t, work, 0);
	settle();
	GO(u, work, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
