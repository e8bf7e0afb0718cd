/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DCASE=1
 * cc: -DCASE=2
 * cc: -DCASE=3
 * cc: -DCASE=4
 * finding: ^(assertion|null-dereference) .* predicted at alone.c:\d+ enter
 * silent: -DCASE=1 -DRIGHT
 * silent: -DCASE=2 -DRIGHT
 * silent: -DCASE=3 -DRIGHT
 * silent: -DCASE=4 -DRIGHT
 */
/* "Am I alone?", by what a read-modify-write read (1); a count that is given back if it was too much, which the other thread decides only after it
 * has counted (2, V1); a guard in an array, which the other thread sees as it was in the beginning (3, V2); a lock behind a pointer
 * that is null (4, V9). Right: under one lock. tests/correct/wrong has more of these. */
#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int owner;
static atomic_bool left;
static int used[4];
static _Alignas(64) int inside;
static struct object {
	int number;
	pthread_mutex_t own;
} object = {0, PTHREAD_MUTEX_INITIALIZER}, *shared = &object;

static void take(void)
{
	pthread_mutex_lock(&lock);
}

static void give(void)
{
	pthread_mutex_unlock(&lock);
}

#ifdef RIGHT
#define UNLOCKED(statement) statement
#else
#define UNLOCKED(statement)                                                                                                        \
	do {                                                                                                                       \
		give();                                                                                                            \
		take();                                                                                                            \
		statement;                                                                                                         \
	} while (0)
#endif

static void enter(void)
{
#ifdef RIGHT
	take();
#endif
	if (CASE == 1 && atomic_fetch_add(&owner, 1))
		abort();
	if (CASE == 2) {
		if (atomic_fetch_add(&owner, 1) < 1)
			assert(atomic_load(&owner) <= 1);
		else
			while (!atomic_load(&left))
				sched_yield();
		atomic_fetch_sub(&owner, 1);
		atomic_store(&left, true);
	}
	if (CASE == 1)
		atomic_fetch_sub(&owner, 1);
#ifndef RIGHT
	take();
#endif
	if (CASE == 3 && !used[1]) {
		UNLOCKED(used[1] = 1);
		UNLOCKED(if (inside) abort());
		inside = 1;
		UNLOCKED(inside = 0);
		UNLOCKED(used[1] = 0);
	}
	if (CASE == 4) {
		struct object *o = shared;
#ifndef RIGHT
		give();
		pthread_mutex_lock(&o->own);
		pthread_mutex_unlock(&o->own);
		take();
#else
		if (o) {
			pthread_mutex_lock(&o->own);
			pthread_mutex_unlock(&o->own);
		}
#endif
	}
	give();
}

static void *one(void *unused)
{
	gate('a');
	enter();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	if (CASE == 4) {
		take();
		shared = NULL;
		give();
	} else {
		enter();
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
