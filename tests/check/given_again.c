/* The count is a race. malloc may give the second thread's argument the place of the first one's, which has been freed: in another run
 * it may lie elsewhere (S15; tests/check/sight). */
#include <pthread.h>
#include <stdlib.h>

#include "../causality/gate.h"

static int counter;

static void *work(void *argument)
{
	int *number = argument;
	gate(*number ? 'c' : 'a');
	counter += *number;
	free(number);
	gate_leave();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	gate_open(argv[1]);
	for (int i = 0; i < 2; i++) {
		if (i == 1)
			gate('b');
		int *number = malloc(sizeof *number);
		*number = i;
		pthread_create(&threads[i], NULL, work, number);
	}
	gate_leave();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return argc > 5;
}
