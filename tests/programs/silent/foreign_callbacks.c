/* norn-test
 * build: clang-19 -O1 -shared -fPIC -pthread $SRC/foreign_pool-part.c -o libforeign.so
 * unjudged:
 * silent: -DMEET -L. -lforeign -Wl,-rpath,.
 * silent: -DTIMER -L. -lforeign -Wl,-rpath,.
 * silent: -DDESTROY -L. -lforeign -Wl,-rpath,.
 * silent: -DLOCK -L. -lforeign -Wl,-rpath,.
 * silent: -DSEEN -L. -lforeign -Wl,-rpath,.
 */
/* Callbacks of a library without hooks (X10): by threads that meet at its barrier, by its timer, by whoever gives up the last
 * reference; and its lock, and a wait of which only a part is seen. */
#include "foreign_pool.h"

#include <pthread.h>
#include <stdlib.h>

static int counter, seen[3];
static char shared[3];

#if defined(MEET)
static void job(void *argument)
{
	*(char *)argument += 1;
}
#else
static void job(void *argument)
{
	*(int *)argument += 1;
}
#endif

#ifdef DESTROY
static struct foreign_reference *reference;

static void destroy(void *argument)
{
	int *all = argument;
	seen[2] = all[0] + all[1];
	free(all);
}

static void *use(void *argument)
{
	(*(int *)argument)++;
	foreign_unref(reference);
	return NULL;
}
#elif defined(LOCK)
static void *use(void *argument)
{
	(void)argument;
	for (int i = 0; i < 3; i++) {
		foreign_lock();
		job(&counter);
		foreign_unlock();
	}
	return NULL;
}
#elif defined(SEEN)
static atomic_int ready;

static void *use(void *argument)
{
	if (argument == &seen[0]) {
		counter = 1;
		ready = 1;
	} else {
		foreign_wait_seen(&ready);
		counter = 2;
	}
	return NULL;
}
#endif

int main(void)
{
#if defined(MEET)
	/* The second thread's second is what the first one had first. */
	shared[1] = 1;
	foreign_meet(job, shared, shared + 1);
	counter = shared[0] + shared[1] + shared[2];
#elif defined(TIMER)
	for (int i = 0; i < 3; i++) {
		foreign_timer(job, &counter);
		foreign_timer_stop();
		counter++;
	}
#else
#ifdef DESTROY
	int *all = calloc(2, sizeof *all);
	reference = foreign_reference_new(destroy, all);
	foreign_ref(reference);
	foreign_ref(reference);
#else
	int *all = seen;
#endif
	pthread_t a, b;
	pthread_create(&a, NULL, use, &all[0]);
	pthread_create(&b, NULL, use, &all[1]);
#ifdef DESTROY
	foreign_unref(reference);
#endif
	pthread_join(a, NULL);
	pthread_join(b, NULL);
#endif
	return 0;
}
