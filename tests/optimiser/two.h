/* Two threads, one() and two(). Each program of this folder is correct as long as k is 0, and has a race if it is 1, which it is if the
 * program gets an argument: the optimiser does not know. */
#include <pthread.h>

static int k, rounds;
static volatile int result; /* of one() */

void one(void);
void two(void);

static void *run(void *arg)
{
	arg ? two() : one();
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argv;
	k = argc - 1;
	rounds = 12;
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, i ? &threads : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return result == -12345;
}
