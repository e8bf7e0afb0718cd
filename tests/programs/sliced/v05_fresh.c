/* norn-test
 * errors: yes
 * schedule: 21
 * never-finding: ^race y\b
 * unjudged:
 */
/* A race on y is not possible: the second thread would find in its block what the first one left (V5). */
#include <stdint.h>
#include <stdlib.h>

#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y;
char *volatile kept;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	char *p = malloc(2000);
	p[1000] = 1;
	free(p);
	pthread_mutex_unlock(&lock);
	y = 2;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	kept = malloc(2000);
	char *q = kept; /* the compiler must not know that nothing was written there */
	if (q[1000] == 0)
		y = 1;
	free(q);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
