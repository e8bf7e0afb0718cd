#ifndef H_H
#define H_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <sys/mman.h>
#ifdef FAIL
#define B(us) usleep((us) * 8) /* only in the failing variant */
#define G(us) ((void)0)
#else
#define B(us) ((void)0)
#define G(us) usleep((us) * 4) /* makes the lucky order likely */
#endif
#define LK(m) pthread_mutex_lock(&(m))
#define UL(m) pthread_mutex_unlock(&(m))
typedef void *(*fn)(void *);
static inline void run2(fn a, fn b)
{
	pthread_t x, y;
	pthread_create(&x, 0, a, 0);
	pthread_create(&y, 0, b, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
}
static inline void run3(fn a, fn b, fn c)
{
	pthread_t x, y, z;
	pthread_create(&x, 0, a, 0);
	pthread_create(&y, 0, b, 0);
	pthread_create(&z, 0, c, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	pthread_join(z, 0);
}
#define MX(m) static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER
#define CV(c) static pthread_cond_t c = PTHREAD_COND_INITIALIZER
#endif
