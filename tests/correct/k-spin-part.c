/* The same without any function of libc that could be seen: it spins on atomics, sleeps by its own futex call, and its threads are detached. */
#include "k-part.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
static long futex(atomic_int *w, int op, int v)
{
	long r;
	register long r10 __asm__("r10") = 0;
	__asm__ volatile("syscall" : "=a"(r) : "a"(SYS_futex), "D"(w), "S"(op), "d"(v), "r"(r10) : "rcx", "r11", "memory");
	return r;
}
static atomic_int lock, event, open_jobs, posted, stop, gone;
static struct {
	part_fn *f;
	void *a;
} q[256];
static int head, tail;
void part_lock(void)
{
	int o = 0;
	if (atomic_compare_exchange_strong(&lock, &o, 1))
		return;
	while (atomic_exchange(&lock, 2))
		futex(&lock, FUTEX_WAIT, 2);
}
void part_unlock(void)
{
	if (atomic_exchange(&lock, 0) == 2)
		futex(&lock, FUTEX_WAKE, 1);
}
void part_locked(part_fn *f, void *a)
{
	part_lock();
	f(a);
	part_unlock();
}
void part_signal(void)
{
	atomic_fetch_add(&event, 1);
	futex(&event, FUTEX_WAKE, 1);
}
void part_wait(void)
{
	for (;;) {
		int v = atomic_load(&event);
		if (v > 0 && atomic_compare_exchange_strong(&event, &v, v - 1))
			return;
		if (v <= 0)
			futex(&event, FUTEX_WAIT, 0);
	}
}
int part_poll(void)
{
	int v = atomic_load(&event);
	return v > 0 && atomic_compare_exchange_strong(&event, &v, v - 1);
}
static _Atomic(void *) box;
void part_push(void *p)
{
	void *o = 0;
	while (!atomic_compare_exchange_weak(&box, &o, p)) {
		o = 0;
		sched_yield();
	}
}
void *part_pop(void)
{
	void *p;
	while (!(p = atomic_exchange(&box, (void *)0)))
		sched_yield();
	return p;
}
void part_once(int *control, part_fn *f, void *a)
{
	if (__atomic_load_n(control, __ATOMIC_ACQUIRE) == 2)
		return;
	part_lock();
	if (*control != 2) {
		f(a);
		__atomic_store_n(control, 2, __ATOMIC_RELEASE);
	}
	part_unlock();
}
void part_ref(int *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}
void part_unref(int *count, part_fn *f, void *a)
{
	if (__atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL) == 1)
		f(a);
}
void part_copy(void *to, const void *from, int n)
{
	part_lock();
	memcpy(to, from, (size_t)n);
	part_unlock();
}
static void *work(void *a)
{
	for (;;) {
		part_lock();
		if (head == tail) {
			part_unlock();
			if (atomic_load(&stop))
				break;
			int v = atomic_load(&posted);
			if (!v)
				futex(&posted, FUTEX_WAIT, 0);
			else
				sched_yield();
			continue;
		}
		part_fn *f = q[head].f;
		void *x = q[head++].a;
		atomic_fetch_sub(&posted, 1);
		part_unlock();
		f(x);
		if (atomic_fetch_sub(&open_jobs, 1) == 1)
			futex(&open_jobs, FUTEX_WAKE, 10);
	}
	atomic_fetch_add(&gone, 1);
	futex(&gone, FUTEX_WAKE, 1);
	return a;
}
void pool_start(void)
{
	pthread_attr_t t;
	pthread_t x;
	pthread_attr_init(&t);
	pthread_attr_setdetachstate(&t, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 2; i++)
		pthread_create(&x, &t, work, 0);
}
void pool_submit(part_fn *f, void *a)
{
	part_lock();
	q[tail].f = f;
	q[tail++].a = a;
	atomic_fetch_add(&open_jobs, 1);
	atomic_fetch_add(&posted, 1);
	part_unlock();
	futex(&posted, FUTEX_WAKE, 1);
}
void pool_wait(void)
{
	int v;
	while ((v = atomic_load(&open_jobs)))
		futex(&open_jobs, FUTEX_WAIT, v);
}
void pool_stop(void)
{
	atomic_store(&stop, 1);
	atomic_fetch_add(&posted, 1);
	futex(&posted, FUTEX_WAKE, 10);
	int v;
	while ((v = atomic_load(&gone)) < 2)
		futex(&gone, FUTEX_WAIT, v);
}
