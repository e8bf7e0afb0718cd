/* norn-test
 * schedule: ab
 * silent: -DCASE=1
 * silent: -DCASE=2
 * silent: -DCASE=3
 * silent: -DCASE=4
 * silent: -DCASE=5
 * silent: -DCASE=6
 */
/* Pointers that are null at first, and are called, or given to functions of libc, only when they are not: they are looked at (1, 2),
 * replaced by others (3, 4), of no length as long as they are null (5), or handed over by a flag (6). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int (*run)(int);
static char *name, copy[16];
static size_t length;
static volatile int used;
static atomic_int ready;

static int twice(int x)
{
	return 2 * x;
}

static int once(int x)
{
	return x;
}

static int use(void)
{
	pthread_mutex_lock(&lock);
	int (*function)(int) = run;
	char *text = name;
	size_t bytes = length;
	pthread_mutex_unlock(&lock);
	if (CASE == 1 && function)
		return function(2);
	if (CASE == 2 && text)
		return (int)strlen(text);
	if (CASE == 3)
		return (function ? function : once)(2);
	if (CASE == 4)
		return strcmp(text ? text : "", "norn");
	if (CASE == 5)
		memcpy(copy, text, bytes);
	if (CASE == 6 && ready)
		return (int)strlen(name) + run(3);
	return 0;
}

static void *one(void *unused)
{
	gate('a');
	char *text = strdup("norn");
	pthread_mutex_lock(&lock);
	name = text;
	length = 5;
	run = twice;
	pthread_mutex_unlock(&lock);
	ready = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	used = use();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
