/* Threads that all do the same, each with a number of its own. */
#ifndef CREW_H
#define CREW_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define CREW_MAX 8

/* Runs count threads, numbered from 0, and waits for all of them. */
static inline void crew(int count, void *(*work)(void *))
{
	pthread_t threads[CREW_MAX];
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i) != 0)
			abort();
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static inline int number_of(void *argument)
{
	return (int)(intptr_t)argument;
}

#endif
