/* Threads that take turns: see gate.c. Each is a function that names its steps; main is thread 0, the others 1, 2, 3. */
#ifndef CAST_H
#define CAST_H

#include <pthread.h>

#include "gate.h"

typedef void *part(void *);

/* Runs the parts side by side, once all have begun, and waits for them. */
static inline int play(char **argv, part *first, part *second, part *third)
{
	part *const parts[3] = {first, second, third};
	pthread_t threads[3];
	unsigned count = 0;
	for (; count < 3 && parts[count]; count++)
		if (pthread_create(&threads[count], NULL, parts[count], NULL) != 0)
			return 1;
	gate_gather(count);
	gate_open(argv[1]);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

#endif
