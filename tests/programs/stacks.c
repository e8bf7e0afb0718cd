/* norn-test
 * cc: -g -O1 -pthread
 * stdout: given 40, least 40, deep 30000, overflow caught 3, recovered 1
 */
/* Stacks: one that the program gives a thread, the smallest, a deep recursion, and one that overflows, which a handler on another stack sees, in main and in threads. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int count, caught, recovered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread sigjmp_buf back;

static void *add(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static int with(pthread_attr_t *attributes)
{
	pthread_t threads[2];
	count = 0;
	for (int i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], attributes, add, NULL))
			exit(1);
		pthread_join(threads[i], NULL);
	}
	return count;
}

__attribute__((noinline)) static long down(volatile long *above, long depth)
{
	volatile long here = *above + 1;
	return depth ? down(&here, depth - 1) + (here & 0) + 1 : 0;
}

__attribute__((noinline)) static long endless(volatile long *above)
{
	volatile long here[64];
	here[0] = *above + 1;
	return endless(here) + here[0];
}

static void on_overflow(int sig)
{
	caught++;
	siglongjmp(back, sig);
}

static void *overflow(void *unused)
{
	char *stack = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t other = {.ss_sp = stack, .ss_size = 1 << 16}, none = {.ss_flags = SS_DISABLE};
	volatile long start = 0;
	sigaltstack(&other, NULL);
	if (sigsetjmp(back, 1) == 0)
		endless(&start);
	sigaltstack(&none, NULL);
	munmap(stack, 1 << 16);
	return unused;
}

int main(void)
{
	pthread_attr_t given, least;
	const size_t bytes = 1 << 18;
	pthread_attr_init(&given);
	pthread_attr_setstack(&given, mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes);
	pthread_attr_init(&least);
	pthread_attr_setstacksize(&least, PTHREAD_STACK_MIN);
	int on_given = with(&given), on_least = with(&least);
	volatile long start = 0;
	long deep = down(&start, 30000);
	struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
	sigaction(SIGSEGV, &action, NULL);
	overflow(NULL);
	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, overflow, NULL);
		pthread_join(thread, NULL);
	}
	recovered = with(NULL) == 40;
	printf("given %d, least %d, deep %ld, overflow caught %d, recovered %d\n", on_given, on_least, deep, caught, recovered);
	return 0;
}
