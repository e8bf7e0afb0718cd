/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DEARLY
 * cc: -DEARLY -DFRESH
 * cc: -O0 -DLATE -DFRESH
 * cc: -O2 -DLATE -DFRESH
 * cc: -DLATE -DFRESH -DUSE
 * no-finding: yes
 * check-exit: 3
 * note: a use after free or a double free may be missing: the pointer read at freed_pointer\.c:\d+ may still be the one that another thread frees at freed_pointer\.c:\d+
 */
/* Both threads take the pointer under the lock and free it, or use it, outside. In the recorded run the second one reads it after the first has set it anew, in another region: what it
 * would do with the same pointer is not recorded (the free of null is not even an event), so the verdict is not complete. Right: freed_pointer_right.c. */
#include <stdlib.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;
int sum;

static int *make(void)
{
	int *block = malloc(sizeof *block);
	if (!block)
		exit(2);
	*block = 1;
	return block;
}

#ifdef FRESH
#define NEXT make()
#else
#define NEXT NULL
#endif

static void set(int *to)
{
	pthread_mutex_lock(&lock);
	shared = to;
	pthread_mutex_unlock(&lock);
}

static void replace(void)
{
#ifdef OWNER
	int *old = shared;
	set(NEXT);
	free(old);
#else
	int *next = NEXT;
	pthread_mutex_lock(&lock);
	int *old = shared;
#if defined HELD
	free(old);
	shared = next;
#elif defined TAKE
	shared = next;
#endif
	pthread_mutex_unlock(&lock);
#if defined TAKE
	free(old);
#elif defined EARLY
	free(old);
	set(next);
#elif defined LATE
	set(next);
	free(old);
#endif
#endif
}

static void look(void)
{
	pthread_mutex_lock(&lock);
	int *mine = shared;
#ifdef OWNER
	sum += *mine;
#endif
	pthread_mutex_unlock(&lock);
#ifndef OWNER
	sum += *mine;
#endif
}

static void *one(void *unused)
{
	gate('a');
	replace();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#if defined USE || defined OWNER
	look();
#else
	replace();
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	shared = make();
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
