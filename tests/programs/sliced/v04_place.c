/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 */
/* The address of the second thread's block may be another, but only its contents matter (V4). */
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
	kept = p;
	pthread_mutex_unlock(&lock);
	y = 2;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	char *q = malloc(2000);
	if (q) {
		q[1000] = 2;
		y = q[1000] == 2;
	}
	free(q);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
