/* norn-test
 * silent:
 */
/* Correct: a stack without locks, whose nodes are never freed, and what is made on first use, seen without the lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};
static _Atomic(struct node *) top, made;
static struct node nodes[6];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int sum;

static void push(struct node *node)
{
	struct node *head = atomic_load(&top);
	do
		node->next = head;
	while (!atomic_compare_exchange_weak(&top, &head, node));
}

static struct node *pop(void)
{
	struct node *head = atomic_load(&top);
	while (head && !atomic_compare_exchange_weak(&top, &head, head->next))
		;
	return head;
}

static struct node *get(void)
{
	struct node *it = atomic_load_explicit(&made, memory_order_acquire);
	if (it)
		return it;
	pthread_mutex_lock(&lock);
	it = atomic_load_explicit(&made, memory_order_relaxed);
	if (!it) {
		it = calloc(1, sizeof *it);
		if (!it)
			exit(1);
		it->value = 5;
		atomic_store_explicit(&made, it, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return it;
}

static void *work(void *first)
{
	struct node *mine = first;
	for (int i = 0; i < 3; i++) {
		mine[i].value = i;
		push(&mine[i]);
	}
	for (struct node *node; (node = pop());)
		atomic_fetch_add(&sum, node->value + get()->value);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, nodes);
	pthread_create(&b, NULL, work, nodes + 3);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum != 36;
}
