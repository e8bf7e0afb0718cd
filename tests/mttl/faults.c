/* Accesses that fault, are mended or left by a jump, in threads that use the same words; and blocks with locks in them that come and go.
 * Nothing may be left locked, and no access may be lost. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define THREADS 3
#define ROUNDS 400
#define WORDS 512

static uint64_t *page;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local sigjmp_buf out;
static _Thread_local volatile sig_atomic_t leaves;
static volatile sig_atomic_t faults;
uint64_t done, seen;

static void fault(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
	faults++;
	mprotect(page, WORDS * sizeof *page, PROT_READ | PROT_WRITE);
	if (leaves)
		siglongjmp(out, 1);
}

/* By all sizes and ranges, while the page may be away. */
__attribute__((noinline)) static void use(unsigned round)
{
	char copy[64];
	uint64_t *at = &page[round % 64 * 8];
	switch (round % 6) {
	case 0:
		at[0] = round;
		break;
	case 1:
		done += at[0] > ROUNDS * 8;
		break;
	case 2:
		memcpy(at, copy, sizeof copy - 5);
		break;
	case 3:
		memset(at, 0, sizeof copy - 3);
		break;
	case 4:
		memcpy(copy, at, sizeof copy - 7);
		break;
	default:
		((unsigned char *)at)[round % 8] = 1;
		((uint32_t *)at)[1] = ((uint32_t *)at)[2];
	}
}

static void *work(void *unused)
{
	for (volatile unsigned i = 0; i < ROUNDS; i++) {
		struct box {
			pthread_mutex_t lock;
			pthread_spinlock_t spin;
			uint64_t value;
		} *box = calloc(1, sizeof *box + i % 5 * 8);
		pthread_mutex_lock(&box->lock);
		box->value = i;
		pthread_mutex_unlock(&box->lock);
		pthread_spin_init(&box->spin, 0);
		pthread_spin_lock(&box->spin);
		pthread_spin_unlock(&box->spin);
		if (i % 2)
			pthread_mutex_destroy(&box->lock);
		free(box);
		pthread_mutex_lock(&lock);
		if (i % 3)
			mprotect(page, WORDS * sizeof *page, i % 3 == 1 ? PROT_NONE : PROT_READ);
		leaves = i % 4 != 0;
		if (!sigsetjmp(out, 1))
			use(i);
		else
			use(i);
		seen++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	sigaction(SIGSEGV, &action, NULL);
	page = mmap(NULL, WORDS * sizeof *page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u of %u, %s\n", (unsigned)seen, THREADS * ROUNDS, faults > ROUNDS / 2 ? "many faults" : "few faults");
	return seen != THREADS * ROUNDS;
}
