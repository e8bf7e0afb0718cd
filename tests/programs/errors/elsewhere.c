/* norn-test
 * errors: yes
 * schedule: abc
 * env: GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1
 * cc: -DPLAIN
 * cc: -DWRAPPED
 * cc: -DLISTED
 * cc: -DCLEARED
 * cc: -DLOCKED_INSIDE
 * cc: -DZEROED
 * cc: -DPASSED
 * cc: -DNESTED
 * cc: -DCOPIED
 * cc: -DNULL_CHECKED
 * finding: ^race total predicted at elsewhere.c:\d+ work (read|write) by main/1, elsewhere.c:\d+ work (read|write) by main/2
 */
/* Two threads that have nothing to do with each other but that malloc gives the second one the block that the first one has freed. In another run it may lie elsewhere (S15): the total,
 * which no lock guards, is a race. */
#include <stdlib.h>
#include <string.h>

#include "../sliced/cast.h"

struct node {
	struct node *next;
	long value, more[3];
	pthread_mutex_t lock;
};
long total;
static struct node *list;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

#define APART __attribute__((noinline))

APART static struct node *make(long value)
{
	struct node *node = malloc(sizeof *node);
	if (!node)
		abort();
	node->value = value;
	return node;
}

APART static void drop(struct node *node)
{
	node->value = 0;
	free(node);
}

APART static long look(const struct node *node)
{
	return node->value;
}

static long use(long value)
{
#ifdef PLAIN
	struct node *node = malloc(sizeof *node);
	node->value = value;
	long got = node->value;
	free(node);
	return got;
#elif defined WRAPPED
	struct node *node = make(value);
	long got = node->value;
	drop(node);
	return got;
#elif defined LISTED
	struct node *node = make(value);
	pthread_mutex_lock(&list_lock);
	node->next = list;
	list = node;
	pthread_mutex_unlock(&list_lock);
	pthread_mutex_lock(&list_lock);
	struct node *first = list;
	list = first->next;
	pthread_mutex_unlock(&list_lock);
	long got = first->value;
	free(first);
	return got;
#elif defined CLEARED
	struct node *node = malloc(sizeof *node);
	memset(node, 0, sizeof *node);
	node->value = value;
	long got = node->value + node->more[1];
	free(node);
	return got;
#elif defined LOCKED_INSIDE
	struct node *node = malloc(sizeof *node);
	pthread_mutex_init(&node->lock, NULL);
	pthread_mutex_lock(&node->lock);
	node->value = value;
	pthread_mutex_unlock(&node->lock);
	pthread_mutex_destroy(&node->lock);
	long got = node->value;
	free(node);
	return got;
#elif defined ZEROED
	struct node *node = calloc(2, sizeof *node);
	node[1].value = value;
	long got = node[1].value + node->value;
	free(node);
	return got;
#elif defined PASSED
	struct node *node = malloc(sizeof *node);
	node->value = value;
	long got = look(node);
	drop(node);
	return got;
#elif defined NESTED
	struct node *node = make(value);
	node->next = make(value + 1);
	long got = look(node->next);
	drop(node->next);
	drop(node);
	return got;
#elif defined COPIED
	struct node first = {.value = value, .more = {value}}, *node = malloc(sizeof *node);
	*node = first;
	long got = node->more[0];
	free(node);
	return got;
#else /* NULL_CHECKED */
	struct node *node = malloc(sizeof *node);
	if (node == NULL)
		return 0;
	node->value = value;
	long got = node->value;
	if (node)
		free(node);
	return got;
#endif
}

static void *work(void *argument)
{
	gate(*(const char *)argument);
	long got = use(*(const char *)argument);
	total += got;
	if (*(const char *)argument == 'a')
		gate('c'); /* what a thread frees when it ends would change what lies where */
	gate_leave();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	gate_open(argv[1]);
	pthread_create(&threads[0], NULL, work, (void *)"a");
	pthread_create(&threads[1], NULL, work, (void *)"b");
	gate_leave();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return argc > 5;
}
