/* Elapsed time. */
#ifndef NORN_BASE_ELAPSED_H
#define NORN_BASE_ELAPSED_H

#include <time.h>

/* Seconds since start, which CLOCK_MONOTONIC gave. */
double norn_seconds_since(const struct timespec *start);

#endif
