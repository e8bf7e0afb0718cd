/* What the programs of this folder share: correct ones, written by a tester who had not seen how Norn predicts. None of them may give a finding. */
#pragma once
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
#include <sched.h>
#include <stdint.h>
#include <x86intrin.h>
#define J()                                                                                                                        \
	do {                                                                                                                       \
		unsigned _r = (unsigned)(__rdtsc() >> 7) % 5;                                                                      \
		if (_r < 2)                                                                                                        \
			usleep(_r * 300 + 50);                                                                                     \
		else if (_r == 2)                                                                                                  \
			sched_yield();                                                                                             \
	} while (0)
#define L(m) pthread_mutex_lock(&m)
#define U(m) pthread_mutex_unlock(&m)
#define GO(t, f, a) pthread_create(&t, 0, f, (void *)(intptr_t)(a))
#define WAIT(t) pthread_join(t, 0)
#define T(f) static void *f(void *a)
static inline struct timespec soon(int us)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += us * 1000L;
	while (t.tv_nsec >= 1000000000L) {
		t.tv_nsec -= 1000000000L;
		t.tv_sec++;
	}
	return t;
}
