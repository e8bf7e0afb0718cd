/* norn-test
 * errors: yes
 * schedule: ab
 * timeout: 60
 * cc: -DTWICE
 * cc: -DLOCKED
 * cc: -DGROWN
 * cc: -DREAD
 * cc: -DLOCKED_READ
 * finding: ^(use-after|double)-free .*(predicted|observed) at freed_again.c:\d+ one free by main/1, freed_again.c:\d+ two (free|read) by main/2
 * silent: -DTWICE -DRIGHT
 * silent: -DLOCKED -DRIGHT
 * silent: -DGROWN -DRIGHT
 * silent: -DREAD -DRIGHT
 * silent: -DLOCKED_READ -DRIGHT
 */
/* A block that is freed, and that the allocator gives away again at once: the other thread's pointer is from before, and means the first
 * block, though it looks like the second. It frees it once more, or reads it. RIGHT: the pointer is the second block's. */
#include <stdatomic.h>
#include <stdlib.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *_Atomic block;
static long *volatile other;
long sum;

static void take(void)
{
#if defined LOCKED || defined LOCKED_READ
	pthread_mutex_lock(&lock);
#endif
}

static void give(void)
{
#if defined LOCKED || defined LOCKED_READ
	pthread_mutex_unlock(&lock);
#endif
}

static void *one(void *unused)
{
	gate('a');
	take();
	long *mine = atomic_exchange(&block, NULL);
#ifndef RIGHT
	atomic_store(&block, mine); /* as if it were still there */
#endif
#ifdef GROWN
	other = realloc(mine, 4000);
#else
	free(mine);
#endif
	give();
	take();
	long *next = malloc(40);
#if defined RIGHT || defined READ || defined LOCKED_READ
	if (next)
		next[3] = 2;
#endif
#ifdef RIGHT
	atomic_store(&block, next);
#else
	other = next;
#endif
	give();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	take();
	long *mine = atomic_load(&block);
#if defined READ || defined LOCKED_READ
	if (mine)
		sum = mine[3];
#else
	if (mine)
		free(mine);
#endif
	give();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	long *first = malloc(40);
	if (!first)
		return 1;
	first[3] = 1;
	atomic_store(&block, first);
	return argc < 2 || play(argv, one, two, NULL);
}
