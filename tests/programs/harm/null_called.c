/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DBY=1
 * cc: -DBY=2
 * cc: -DBY=3
 * cc: -DBY=4
 * finding: ^null-dereference (handlers.run|name) predicted at null_called.c:\d+ use
 * finding-count: 1
 * silent: -DRIGHT -DBY=1
 * silent: -DRIGHT -DBY=2
 * silent: -DRIGHT -DBY=3
 * silent: -DRIGHT -DBY=4
 */
/* It is said that all is there before it is: the function that is called by a pointer (1), and the text that functions of libc are
 * given to read (2, 3) and to copy (4). */
#include <stdlib.h>
#include <string.h>

#include "../sliced/cast.h"

struct handlers {
	int (*run)(int);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handlers handlers;
static char *name, copy[16];
static size_t length;
static volatile int used;

static int twice(int x)
{
	return 2 * x;
}

static void set(void)
{
	char *text = strdup("norn");
	pthread_mutex_lock(&lock);
#ifndef RIGHT
	length = 4;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	name = text;
	handlers.run = twice;
	length = 4;
	pthread_mutex_unlock(&lock);
}

static int use(void)
{
	int result = 0;
	pthread_mutex_lock(&lock);
	if (length && BY == 1)
		result = handlers.run(2);
	if (length && BY == 2)
		result = (int)strlen(name);
	if (length && BY == 3)
		result = strcmp(name, "norn");
	if (length && BY == 4)
		memcpy(copy, name, length + 1);
	pthread_mutex_unlock(&lock);
	return result;
}

static void *one(void *unused)
{
	gate('a');
	set();
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
