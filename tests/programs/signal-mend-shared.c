/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O0 -pthread
 * stdout: done
 * timeout: 60
 */
/* A handler mends a fault and returns to the access; meanwhile another thread has begun to use the same memory, which had been this
 * thread's alone. The access that goes on then and the other thread's must not get in each other's way. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ROUNDS 40
#define APART 65536ul
#define TIMES 2000

static volatile long *word;
static atomic_int turn, taken;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	mprotect((void *)word, APART, PROT_READ | PROT_WRITE);
	taken = 0;
	turn++;
	while (!taken)
		sched_yield();
}

static void *other(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++) {
		while (turn < i)
			sched_yield();
		volatile long *mine = word;
		*mine = -1;
		taken = 1;
		for (int j = 0; j < TIMES; j++)
			(*mine)++;
	}
	return unused;
}

static void fault(int way)
{
	long local[4] = {1, 2, 3, way};
	switch (way) {
	case 0:
		*word = 7;
		break;
	case 1:
		__atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
		break;
	case 2:
		memcpy((void *)word, local, sizeof local);
		break;
	default:
		word[1] = *word;
	}
}

int main(void)
{
	char *area = mmap(NULL, (ROUNDS + 1) * APART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	pthread_t thread;
	area = (char *)(((unsigned long)area + APART - 1) & ~(APART - 1));
	sigaction(SIGSEGV, &action, NULL);
	pthread_create(&thread, NULL, other, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		word = (volatile long *)(void *)(area + i * APART);
		fault(i % 4);
		for (int j = 0; j < TIMES; j++)
			(*word)++;
	}
	pthread_join(thread, NULL);
	puts("done");
}
