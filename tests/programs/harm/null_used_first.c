/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DFREED
 * cc: -DPRINTED
 * cc: -DWALKED
 * cc: -DCALLED
 * finding: ^null-dereference head predicted at null_used_first.c:\d+ \w+ read by main/2, null_used_first.c:\d+ two read by main/2
 * silent: -DCHECKED -DFREED
 * silent: -DCHECKED_BY_CALLEE
 * silent: -DFLAG_FIRST
 * silent: -DFLAG_EACH
 * silent: -DRANGE
 * silent: -DTAKEN
 */
/* V9: what a pointer decides when it has been dereferenced (which block is freed, what is printed, how far a list is walked) does not
 * keep it from being null at the first access. Silent: it is told apart first, by itself or by a flag that comes with it, or a range
 * that is empty where it is null. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sliced/cast.h"

struct node {
	int value;
	struct node *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;
static int set, sum;
static size_t bytes;

static void *one(void *unused)
{
	gate('a');
	struct node *n = malloc(sizeof *n);
	n->value = 1;
	n->next = NULL;
	pthread_mutex_lock(&lock);
	head = n;
	set = 1;
	bytes = sizeof *n;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

__attribute__((noinline)) static void consume(struct node *n)
{
#ifdef CHECKED_BY_CALLEE
	if (!n)
		return;
#endif
	sum += n->value;
	free(n);
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	struct node *n = head;
#ifdef CHECKED
	if (!n) {
		pthread_mutex_unlock(&lock);
		gate_leave();
		return unused;
	}
#endif
#if defined(FREED)
	sum = n->value;
	free(n);
#elif defined(PRINTED)
	sum = n->value;
	printf("%d\n", n == NULL ? 0 : (int)((size_t)n % 8));
#elif defined(WALKED)
	sum = n->value;
	for (n = n->next; n; n = n->next)
		sum += n->value;
#elif defined(CALLED) || defined(CHECKED_BY_CALLEE)
	consume(n);
#elif defined(FLAG_FIRST)
	if (set)
		sum = n->value;
	free(n);
#elif defined(FLAG_EACH)
	for (int i = 0; i < 2; i++) {
		if (set && i == 0)
			sum = n->value;
		if (set && i == 1)
			free(n);
	}
#elif defined(RANGE)
	struct node copy = {0};
	memcpy(&copy, n, bytes);
	sum = copy.value;
	if (set)
		sum += n->value;
	free(n);
#elif defined(TAKEN)
	for (; n; n = head) {
		head = n->next;
		sum += n->value;
		free(n);
	}
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc > 1 ? play(argv, one, two, NULL) : 1;
}
