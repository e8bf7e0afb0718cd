/* norn-test
 * silent:
 */
/* A biased lock: the thread whose tid stands in it enters without an atomic read-modify-write; the data of a job stay with the tid that took it. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <sched.h>
static atomic_int owner;
static int depth, value, shadow;
static int tid(void)
{
	return (int)syscall(SYS_gettid);
}
static void enter(void)
{
	int me = tid(), expected = 0;
	if (atomic_load_explicit(&owner, memory_order_relaxed) == me) {
		depth++;
		return;
	}
	while (!atomic_compare_exchange_weak_explicit(&owner, &expected, me, memory_order_acquire, memory_order_relaxed)) {
		expected = 0;
		sched_yield();
	}
	depth = 1;
}
static void leave(void)
{
	assert(atomic_load_explicit(&owner, memory_order_relaxed) == tid());
	if (--depth == 0)
		atomic_store_explicit(&owner, 0, memory_order_release);
}
static void add(int n)
{
	enter();
	value += n;
	shadow -= n;
	leave();
}
static void *run(void *arg)
{
	for (int i = 0; i < 5; i++) {
		enter();
		assert(value == -shadow);
		add(i);
		add(1);
		assert(depth == 1);
		leave();
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(value == 45 && shadow == -45 && depth == 0);
	printf("%d\n", value);
	return 0;
}
