/* What the programs of this folder have in common: names for calls, the order that a run is likely to have (nap; none with -DNOWAIT), and what the
 * right program has instead (-DFIXED: F is taken, W is not). */
#ifndef LUCKY_H
#define LUCKY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <unistd.h>
#include <time.h>
#define L(m) pthread_mutex_lock(&(m))
#define U(m) pthread_mutex_unlock(&(m))
#define GO(t, f, a) pthread_create(&(t), 0, f, (void *)(intptr_t)(a))
#define WAIT(t) pthread_join(t, 0)
#define T(f) static void *f(void *a)
#define MX(m) static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER
#ifdef NOWAIT
#define nap(ms) ((void)0)
#else
#define nap(ms) usleep((ms) * 1000)
#endif
#ifdef FIXED
#define F(...) __VA_ARGS__
#define W(...)
#else
#define F(...)
#define W(...) __VA_ARGS__
#endif

#endif
