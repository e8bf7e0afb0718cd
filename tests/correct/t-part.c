/* More of what libraries without hooks do with threads: phases, an event loop, shared and exclusive calls, fork and join, threads of others. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include "t-part.h"
/* ---- phases: two workers and a barrier ---- */
static pthread_barrier_t barrier;
static int phases;
static t_fn *phase_fn;
static void *phase_worker(void *a)
{
	for (int i = 0; i < phases; i++) {
		phase_fn((int)(long)a, i);
		pthread_barrier_wait(&barrier);
	}
	return 0;
}
void t_phases(t_fn *f, int n)
{
	pthread_t t;
	phases = n;
	phase_fn = f;
	pthread_barrier_init(&barrier, 0, 2);
	pthread_create(&t, 0, phase_worker, (void *)1l);
	phase_worker((void *)0);
	pthread_join(t, 0);
	pthread_barrier_destroy(&barrier);
}
/* ---- an event loop: others post, the loop's thread calls. It sleeps by a futex, with the instruction itself ---- */
static _Atomic int posted, taken, lock;
static struct {
	t_fn *f;
	int a, b;
} events[64];
static long futex(_Atomic int *word, int op, int value)
{
	register long r10 __asm__("r10") = 0;
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "a"(SYS_futex), "D"(word), "S"(op), "d"(value), "r"(r10) : "rcx", "r11", "memory");
	return r;
}
void t_post(t_fn *f, int a, int b)
{
	while (atomic_exchange(&lock, 1))
		;
	events[posted].f = f;
	events[posted].a = a;
	events[posted].b = b;
	atomic_fetch_add(&posted, 1);
	atomic_store(&lock, 0);
	futex(&posted, FUTEX_WAKE, 1);
}
void t_loop(int count)
{
	while (count--) {
		int n = taken++;
		for (int p; (p = atomic_load(&posted)) <= n;)
			futex(&posted, FUTEX_WAIT, p);
		events[n].f(events[n].a, events[n].b);
	}
}
/* ---- shared and exclusive ---- */
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
void t_shared(t_fn *f, int a)
{
	pthread_rwlock_rdlock(&rw);
	f(a, 0);
	pthread_rwlock_unlock(&rw);
}
void t_exclusive(t_fn *f, int a)
{
	pthread_rwlock_wrlock(&rw);
	f(a, 1);
	pthread_rwlock_unlock(&rw);
}
/* ---- fork and join ---- */
struct half {
	t_fn *f;
	int from, to;
};
static void *halves(void *a)
{
	struct half *h = a;
	if (h->to - h->from <= 1) {
		h->f(h->from, h->to);
		return 0;
	}
	int middle = (h->from + h->to) / 2;
	struct half left = {h->f, h->from, middle}, right = {h->f, middle, h->to};
	pthread_t t;
	pthread_create(&t, 0, halves, &left);
	halves(&right);
	pthread_join(t, 0);
	h->f(h->from, h->to);
	return 0;
}
void t_halves(t_fn *f, int n)
{
	struct half all = {f, 0, n};
	halves(&all);
}
/* ---- threads for others ---- */
void *t_start(void *(*f)(void *), void *a)
{
	pthread_t *t = malloc(sizeof *t);
	pthread_create(t, 0, f, a);
	return t;
}
void t_finish(void *t)
{
	pthread_join(*(pthread_t *)t, 0);
	free(t);
}
