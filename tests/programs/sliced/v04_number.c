/* norn-test
 * errors: yes
 * schedule: 21
 * never-finding: ^race y\b
 */
/* A race on y is not possible: with the first thread's block there, the second one's lies elsewhere (V4). */
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
	uintptr_t q = (uintptr_t)malloc(2000);
	if ((q / 16 & 1) == ((uintptr_t)kept / 16 & 1))
		y = 3;
	if (q / 16 % 251 != 250)
		y = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
