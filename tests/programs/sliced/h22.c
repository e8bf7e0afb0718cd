/* norn-test
 * errors: yes
 * schedule: abcd
 * never-finding: ^race y\b
 * no-finding: yes
 */
/* A race on y is not possible: the try fails only after y = 2. */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int y;

static void *one(void *unused)
{
	gate('b');
	int failed = pthread_mutex_trylock(&L);
	gate('d');
	if (failed)
		y = 1;
	else
		pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('a');
	y = 2;
	pthread_mutex_lock(&L);
	gate('c');
	pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
