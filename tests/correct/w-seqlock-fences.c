/* norn-test
 * silent:
 * unjudged:
 */
/* A sequence lock with relaxed atomic data and fences after Boehm; and one whose readers fall back to the writers' lock. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_uint seq;
static _Atomic long x, y;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static void write_(long a)
{
	pthread_mutex_lock(&writers);
	unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
	assert(s % 2 == 0);
	atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&x, a, memory_order_relaxed);
	atomic_store_explicit(&y, 3 * a + 1, memory_order_relaxed);
	atomic_store_explicit(&seq, s + 2, memory_order_release);
	pthread_mutex_unlock(&writers);
}
static long read_(void)
{
	for (int tries = 0; tries < 20; tries++) {
		unsigned s = atomic_load_explicit(&seq, memory_order_acquire);
		if (s & 1) {
			sched_yield();
			continue;
		}
		long a = atomic_load_explicit(&x, memory_order_relaxed), b = atomic_load_explicit(&y, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&seq, memory_order_relaxed) == s) {
			assert(b == 3 * a + 1);
			return a;
		}
	}
	pthread_mutex_lock(&writers);
	long a = x, b = y;
	pthread_mutex_unlock(&writers);
	assert(b == 3 * a + 1);
	return a;
}
static void *writer(void *arg)
{
	for (long i = 1; i < 6; i++)
		write_((long)(size_t)arg * 100 + i);
	return NULL;
}
static void *reader(void *arg)
{
	for (int i = 0; i < 6; i++) {
		long v = read_();
		assert(v % 100 < 6);
	}
	return arg;
}
int main(void)
{
	pthread_t t[4];
	y = 1;
	for (size_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i < 2 ? writer : reader, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(seq == 20);
	puts("ok");
	return 0;
}
