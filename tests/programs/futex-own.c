/* norn-test
 * cc: -g -O1 -pthread
 * stdout: own lock 4000, moved on 1, by bits 1, of a process 500
 */
/* A lock that a program makes itself of the system call: waiting, waking, requeueing, waking by bits, and between processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int word, first, second, woken;
static int count;

static long futex(atomic_int *at, int op, int value, uintptr_t more, atomic_int *other, unsigned bits)
{
	return syscall(SYS_futex, at, op, value, more, other, bits);
}

static void take(atomic_int *lock)
{
	int free = 0;
	if (atomic_compare_exchange_strong(lock, &free, 1))
		return;
	while (atomic_exchange(lock, 2) != 0)
		futex(lock, FUTEX_WAIT, 2, 0, NULL, 0);
}

static void give(atomic_int *lock)
{
	if (atomic_exchange(lock, 0) == 2)
		futex(lock, FUTEX_WAKE, 1, 0, NULL, 0);
}

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		take(&word);
		count++;
		give(&word);
	}
	return unused;
}

static void *sleep_on(void *bits)
{
	while (!woken && (futex(&first, bits ? FUTEX_WAIT_BITSET : FUTEX_WAIT, 0, 0, NULL, (unsigned)(uintptr_t)bits) == 0 ||
	                         errno != EAGAIN))
		;
	return NULL;
}

/* One that sleeps here is moved to another word, and woken there. */
static int requeue(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, sleep_on, NULL);
	while (futex(&first, FUTEX_REQUEUE, 0, 1, &second, 0) != 1)
		;
	woken = 1;
	int one = (int)futex(&second, FUTEX_WAKE, INT_MAX, 0, NULL, 0);
	pthread_join(thread, NULL);
	woken = 0;
	return one;
}

static int by_bits(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, sleep_on, (void *)4);
	int one, none = 0;
	do {
		none += (int)futex(&first, FUTEX_WAKE_BITSET, INT_MAX, 0, NULL, 2);
		one = (int)futex(&first, FUTEX_WAKE_BITSET, INT_MAX, 0, NULL, 4);
	} while (one == 0);
	woken = 1;
	first = 1;
	futex(&first, FUTEX_WAKE, INT_MAX, 0, NULL, 0);
	pthread_join(thread, NULL);
	return one == 1 && none == 0;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	int moved = requeue(), bits = by_bits();
	struct {
		atomic_int lock;
		int count;
	} *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	for (int i = 0; i < 250; i++) {
		take(&shared->lock);
		shared->count++;
		give(&shared->lock);
	}
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	printf("own lock %d, moved on %d, by bits %d, of a process %d\n", count, moved, bits, shared->count);
	return 0;
}
