/* Programs in the manner of the literature, each with its correct twin (-DRIGHT): two locks, and what only one of the two does. */
#ifndef TWIN_H
#define TWIN_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

#ifdef RIGHT
#define IS_RIGHT 1
#else
#define IS_RIGHT 0
#endif

/* lock is held: the wrong program lets others in. */
static inline void gap(void)
{
	if (IS_RIGHT)
		return;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
}

/* A region of lock that the wrong program begins late, or ends early. */
static inline void lock_if(int held)
{
	if (held)
		pthread_mutex_lock(&lock);
}

static inline void unlock_if(int held)
{
	if (held)
		pthread_mutex_unlock(&lock);
}

#endif
