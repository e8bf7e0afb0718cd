/* The second example of the JMPaX paper (figure 6), its steps in the order that the argument says.
 * Initially x = -1, y = 0, z = 0. T1: x++; y = x + 1. T2: z = x + 1; x++. */
#include <pthread.h>

#include "gate.h"

int x = -1, y = 0, z = 0;

static void *first(void *unused)
{
	gate('a');
	x++;
	gate('b');
	int seen = x;
	gate('c');
	y = seen + 1;
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('r');
	int seen = x;
	gate('s');
	z = seen + 1;
	gate('t');
	x++;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	if (argc != 2)
		return 2;
	gate_open(argv[1]);
	if (pthread_create(&threads[0], 0, first, 0) || pthread_create(&threads[1], 0, second, 0))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	return 0;
}
