/* norn-test
 * schedule: abc
 * env: GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1
 * unjudged:
 * silent: -DDIRECT
 * silent: -DGLOBAL
 * silent: -DPARAMETER
 * silent: -DCHOSEN
 * silent: -DTHREAD_LOCAL
 * silent: -DCOPIED
 * silent: -DLOCKED
 */
/* S15.f: the second thread uses its new block by a pointer to the old one, which has been freed. That is an error (which is not found), and the total is none: in a run in which the old
 * block is still there, it is what that pointer means, and the second thread does not find there what it has written to the new one. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../sliced/cast.h"

struct node {
	long value, more[3];
	pthread_mutex_t lock;
};
long total;
static struct node *old;
static struct node *_Atomic kept;
static __thread struct node *own __attribute__((unused));

#define APART __attribute__((noinline))

APART static long look(const struct node *node)
{
	return node->value;
}

static long find(struct node *stale, struct node *fresh)
{
#ifdef DIRECT
	return stale->value;
#elif defined GLOBAL
	atomic_store(&kept, stale);
	return atomic_load(&kept)->value;
#elif defined PARAMETER
	return look(stale);
#elif defined CHOSEN
	struct node *either = fresh->more[1] ? fresh : stale;
	return either->value;
#elif defined THREAD_LOCAL
	own = stale;
	return (fresh->more[1] ? fresh : own)->value;
#elif defined COPIED
	struct node copy;
	memcpy(&copy, stale, sizeof copy);
	return copy.value;
#else /* LOCKED */
	pthread_mutex_lock(&stale->lock);
	long value = stale->value;
	pthread_mutex_unlock(&stale->lock);
	return value;
#endif
}

static void *first(void *unused)
{
	gate('a');
	total = 1;
	free(old);
	gate('c');
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	struct node *stale = old, *fresh = malloc(sizeof *fresh);
	fresh->value = 5;
	fresh->more[1] = 0;
	pthread_mutex_init(&fresh->lock, NULL);
	if (find(stale, fresh) == 5)
		total = 2;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	(void)argc;
	old = calloc(1, sizeof *old);
	pthread_mutex_init(&old->lock, NULL);
	return play(argv, first, second, NULL) || total != 2;
}
