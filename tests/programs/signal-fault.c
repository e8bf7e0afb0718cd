/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O0 -pthread
 * stdout: jumped out of 400 faults
 * stdout: mended 100 pages, sum 100
 * stdout: other thread undisturbed
 * dump-count: 500 signal +signal 11
 * dump-count: 100 signal-end
 */
/* Faults of accesses that Norn's hooks perform: the handler may jump away, and the thread and the word stay usable; or it may mend
 * the fault and return, and the access is done. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define TIMES 100

static sigjmp_buf back;
static volatile int jumped;
static char *mending;
static volatile int mended;
static atomic_int stop;
static volatile long shared;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	shared++;
	if (mending && (char *)info->si_addr >= mending && (char *)info->si_addr < mending + TIMES * PAGE) {
		mprotect((char *)((unsigned long)info->si_addr & ~(PAGE - 1ul)), PAGE, PROT_READ | PROT_WRITE);
		mended++;
		return;
	}
	siglongjmp(back, 1);
}

static void *write_on(void *unused)
{
	for (int i = 0; i < 50000 && !stop; i++)
		shared++;
	return unused;
}

static void fault(int way, volatile long *bad)
{
	static long local[8];
	switch (way) {
	case 0:
		local[0] = *bad;
		break;
	case 1:
		*bad = 1;
		break;
	case 2:
		__atomic_fetch_add(bad, 1, __ATOMIC_SEQ_CST);
		break;
	default:
		memcpy(local, (const void *)bad, sizeof local);
		shared += local[1];
	}
}

int main(void)
{
	pthread_t thread;
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &action, NULL);
	pthread_create(&thread, NULL, write_on, NULL);
	volatile long *bad = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (volatile int i = 0; i < 4 * TIMES; i++) {
		if (sigsetjmp(back, 1) == 0) {
			fault(i % 4, bad);
			exit(1);
		}
		jumped++;
	}
	printf("jumped out of %d faults\n", jumped);

	/* The word that the faults were at can be used by all when it is there. */
	mprotect((void *)bad, PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < TIMES; i++)
		bad[i % 8] = i;

	char *pages = mmap(NULL, TIMES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mending = pages;
	long sum = 0;
	for (int i = 0; i < TIMES; i++) {
		volatile long *word = (volatile long *)(pages + i * PAGE);
		if (i % 2)
			*word = 1;
		else
			__atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
		sum += *word;
	}
	printf("mended %d pages, sum %ld\n", mended, sum);
	stop = 1;
	pthread_join(thread, NULL);
	puts("other thread undisturbed");
	return 0;
}
