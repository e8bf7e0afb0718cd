/* norn-test
 * errors: yes
 * schedule: ab
 * cc:
 * finding: ^race y predicted
 * finding-count: 1
 */
/* What memory begins with was written by none (X3, V2): that the second thread is the first to read the name, after the first has printed, does not order them. */
#include <stdio.h>
#include <string.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *name = "ada";
static char copy[16];
static int y, argument;

static void *one(void *unused)
{
	gate('a');
	y = 1;
	pthread_mutex_lock(&lock);
	printf("%d\n", argument);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	strncpy(copy, name, sizeof copy - 1);
	pthread_mutex_unlock(&lock);
	y = 2;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
