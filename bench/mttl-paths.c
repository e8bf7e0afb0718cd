/* Workloads for bench/mttl-paths, which counts instructions: threads take turns by a futex that Norn does not see (mttl-turns.c), so that a count
 * depends neither on the machine nor on its load. Each turn is a number of calls of `work`, which is atomic by a lock; what it does in between
 * is the workload. usage: mttl-paths WORKLOAD ROUNDS [CALLS A TURN; 0: all] */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mttl-turns.h"

#define ITEMS 64
#define THREADS_MAX 60

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static long first = 1000, second = 1000;
static long table[ITEMS], config[8];
static struct pair {
	int left, right;
} pairs[ITEMS];
static struct mixed {
	char a, b;
	short c;
	int d;
} mixed[ITEMS];
static union whole {
	uint64_t all;
	unsigned char bytes[8];
	uint32_t halves[2];
} wholes[ITEMS];
static int numbers[ITEMS];
static char block[4096], source[4096];
static unsigned counter;
static volatile long sum;

/* The bank: two accounts, each under its lock. */
static void bank(int i)
{
	pthread_mutex_lock(&inner);
	first -= i % 3;
	pthread_mutex_unlock(&inner);
	pthread_mutex_lock(&inner);
	second += i % 3;
	pthread_mutex_unlock(&inner);
}

/* Words that are always read and written whole, by one thread after the other. */
static void words(int i)
{
	for (int k = 0; k < ITEMS; k++)
		table[k] += i;
}

/* Words that all threads read, and none writes: each does so with a vector of its own. */
static void readers(int i)
{
	long all = i;
	for (int k = 0; k < ITEMS; k++)
		all += table[k];
	sum = all;
}

/* Two ints of a word: one is read, the other written. */
static void ints(int i)
{
	for (int k = 0; k < ITEMS; k++)
		pairs[k].left += pairs[k].right + i;
}

/* An array of ints: one after the other is read and written. */
static void array(int i)
{
	for (int k = 0; k < ITEMS; k++)
		numbers[k] += i;
}

/* The same by two threads, of which each has every other int. */
static void stripes(int i)
{
	for (int k = i % 2; k < ITEMS; k += 2)
		numbers[k] += i;
}

/* Three and more parts of a word. */
static void parts(int i)
{
	for (int k = 0; k < ITEMS; k++) {
		mixed[k].a++;
		mixed[k].c = (short)i;
		mixed[k].d += i;
	}
}

/* Read piece by piece after another thread has written it as a whole. */
static void pieces(int i)
{
	for (int k = 0; k < ITEMS; k++)
		for (int byte = 0; byte < 8; byte++)
			sum = wholes[k].bytes[byte];
	for (int k = 0; k < ITEMS; k++)
		wholes[k].all = (uint64_t)i;
}

/* Two ints: one is written after another thread has written both at once. */
static void fields(int i)
{
	for (int k = 0; k < ITEMS; k++)
		wholes[k].halves[0] += (uint32_t)i;
	if (i % 4 == 3)
		for (int k = 0; k < ITEMS; k++)
			wholes[k].all = (uint64_t)i;
}

/* Ranges, by memcpy and memset. */
static void ranges(int i)
{
	memcpy(block, source, sizeof block - (unsigned)i % 2);
	memset(source, i, sizeof source);
}

/* Blocks that are allocated, written, read and freed. */
static void blocks(int i)
{
	long *p = malloc(ITEMS * sizeof *p);
	for (int k = 0; p && k < ITEMS; k++)
		p[k] = i;
	for (int k = 0; p && k < ITEMS; k++)
		sum = p[k];
	free(p);
}

static void shared_lock(int i)
{
	for (int k = 0; k < 8; k++) {
		pthread_rwlock_rdlock(&shared);
		sum = table[(i + k) % ITEMS];
		pthread_rwlock_unlock(&shared);
	}
}

static void atomics(int i)
{
	for (int k = 0; k < 8; k++)
		__atomic_fetch_add(&counter, (unsigned)i, __ATOMIC_SEQ_CST);
}

static const struct workload {
	const char *name;
	void (*work)(int i); /* under the lock; NULL: a call, and nothing else */
	unsigned threads, reads; /* reads: words that all threads read before that */
} workloads[] = {{"bank", bank, 3}, {"words", words, 3}, {"readers", readers, 3}, {"ints", ints, 3}, {"array", array, 3},
        {"stripes", stripes, 3}, {"parts", parts, 3}, {"pieces", pieces, 3}, {"fields", fields, 3}, {"ranges", ranges, 3},
        {"blocks", blocks, 3}, {"rwlock", shared_lock, 3}, {"atomics", atomics, 3}, {"calls", NULL, 3}, {"config", bank, 3, 8},
        {"crowd", bank, THREADS_MAX}};

__attribute__((noinline)) void work(void (*does)(int i), int i)
{
	if (!does)
		return;
	pthread_mutex_lock(&lock);
	does(i);
	pthread_mutex_unlock(&lock);
}

/* Of one thread: its own, so that no thread reads what another has read. */
struct part {
	void (*does)(int i);
	unsigned self, threads, reads;
	int rounds, calls;
	volatile long sum;
};

static void *run(void *own)
{
	struct part p = *(struct part *)own;
	turn_await(p.self);
	for (int i = 0; i < p.rounds; i++) {
		for (unsigned k = 0; k < p.reads; k++)
			p.sum += config[k];
		work(p.does, i);
		if (p.calls && i % p.calls == p.calls - 1 && i + 1 < p.rounds)
			turn_pass(p.self, p.threads);
	}
	turn_end(p.self, p.threads);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t all[THREADS_MAX];
	struct part parts_of[THREADS_MAX];
	const struct workload *chosen = workloads;
	for (unsigned i = 0; argc > 1 && i < sizeof workloads / sizeof *workloads; i++)
		if (!strcmp(argv[1], workloads[i].name))
			chosen = &workloads[i];
	for (unsigned i = 0; i < chosen->threads; i++) {
		parts_of[i] = (struct part){.does = chosen->work,
		        .self = i,
		        .threads = chosen->threads,
		        .reads = chosen->reads,
		        .rounds = argc > 2 ? atoi(argv[2]) : 100,
		        .calls = argc > 3 ? atoi(argv[3]) : 1};
		pthread_create(&all[i], NULL, run, &parts_of[i]);
	}
	turn_begin();
	for (unsigned i = 0; i < chosen->threads; i++)
		pthread_join(all[i], NULL);
	printf("%ld %ld %ld\n", first + second, (long)counter, (long)sum);
	return 0;
}
