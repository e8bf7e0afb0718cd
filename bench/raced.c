/* A race, before or after a kernel whose main is kernel_main: for bench/confirm. BEFORE: the witness is short, and all of the kernel runs when the race has come true.
 * Otherwise everything that the kernel did comes first. */
#include <pthread.h>

int kernel_main(int argc, char **argv);
int raced;

static void *one(void *unused)
{
	raced = 1;
	return unused;
}

static void race(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, one, NULL) != 0)
		return;
	raced = 2;
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
#ifdef BEFORE
	race();
#endif
	int status = kernel_main(argc, argv);
#ifndef BEFORE
	race();
#endif
	return status;
}
