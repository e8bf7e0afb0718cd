/* CPU time and time of the part of a program between begin and end, without what comes before main and after it. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>
#include <time.h>

static struct timespec measured[2];

static inline void measure_begin(void)
{
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &measured[0]);
	clock_gettime(CLOCK_MONOTONIC, &measured[1]);
}

static inline void measure_end(void)
{
	struct timespec now[2];
	double seconds[2];
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now[0]);
	clock_gettime(CLOCK_MONOTONIC, &now[1]);
	for (int i = 0; i < 2; i++)
		seconds[i] = (double)(now[i].tv_sec - measured[i].tv_sec) + (double)(now[i].tv_nsec - measured[i].tv_nsec) / 1e9;
	printf("seconds %.6f %.6f\n", seconds[0], seconds[1]);
}

#endif
