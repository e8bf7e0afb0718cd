/* norn-test
 * silent:
 */
/* Threads sleep on a futex by syscall: an event count, a mutex of three states and a one-shot event. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static long futex(atomic_int *a, int op, int v)
{
	return syscall(SYS_futex, a, op | FUTEX_PRIVATE_FLAG, v, NULL, NULL, 0);
}
static atomic_int word, opened;
static void lock(void)
{
	int c = 0;
	if (atomic_compare_exchange_strong(&word, &c, 1))
		return;
	if (c != 2)
		c = atomic_exchange(&word, 2);
	while (c) {
		futex(&word, FUTEX_WAIT, 2);
		c = atomic_exchange(&word, 2);
	}
}
static void unlock(void)
{
	if (atomic_fetch_sub(&word, 1) != 1) {
		atomic_store(&word, 0);
		futex(&word, FUTEX_WAKE, 1);
	}
}
static void await(void)
{
	while (!atomic_load_explicit(&opened, memory_order_acquire))
		futex(&opened, FUTEX_WAIT, 0);
}
static void open_(void)
{
	atomic_store_explicit(&opened, 1, memory_order_release);
	futex(&opened, FUTEX_WAKE, 1 << 30);
}
static int config[4], total, check;
static void *run(void *arg)
{
	await();
	for (int i = 0; i < 4; i++) {
		lock();
		assert(total == check);
		total += config[i];
		check += config[i];
		unlock();
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		config[i] = i + 1;
	open_();
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(total == 30);
	printf("%d\n", total);
	return 0;
}
