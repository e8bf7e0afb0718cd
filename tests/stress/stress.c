/* stress [threads] [rounds] [hot|wide]: threads hammer a few words in every way that a C program can, and say what they saw. With
 * hot they only write and read one word, over and over: what a runtime without its checks gets wrong most often. With wide they
 * write, read and copy words that lie far apart, so that the memory around each goes from thread to thread.
 *
 * After each read of up to 8 bytes that lies within a word, the program emits the mark "norn.saw" with the value that it got;
 * `norn dump --verify` compares it with the value that follows from the recorded order. So a wrong reads-from shows, although the
 * trace holds no values of reads. Counters that only atomic operations or lock holders touch are summed up at the end, so that a hook
 * that loses or doubles an operation shows in the program's own exit status.
 *
 * The races are the point; volatile keeps the compiler from merging the accesses. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "norn.h"

#define WORDS 8
#define CALM 4 /* words from here on are not written by libc */
#define BLOCKS 4
#define BLOCK_BYTES 48
#define MOST_THREADS 64
#define FAR 65536 /* bytes between the words of the field: a page of the runtime's */
#define FIELD 512

typedef uint16_t __attribute__((aligned(1), may_alias)) loose16;
typedef uint32_t __attribute__((aligned(1), may_alias)) loose32;
typedef uint64_t __attribute__((aligned(1), may_alias)) loose64;

static union {
	_Alignas(64) unsigned char bytes[WORDS * 8];
	_Atomic uint8_t a8[WORDS * 8];
	_Atomic uint16_t a16[WORDS * 4];
	_Atomic uint32_t a32[WORDS * 2];
	_Atomic uint64_t a64[WORDS];
} arena;

static _Atomic uint8_t counter8[8]; /* eight counters in one word */
static _Atomic uint32_t counter32[2];
static _Atomic uint64_t counter64;
static _Alignas(16) unsigned __int128 pair; /* the upper half is always the complement of the lower */
static _Atomic(unsigned char *) blocks[BLOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t locked_counter;
static unsigned rounds;
static enum { MIXED, HOT, WIDE } mode;
static _Alignas(FAR) unsigned char field[FIELD * FAR];

struct worker {
	pthread_t thread;
	uint64_t random;
	uint64_t added8[8], added32[2], added64, pairs, locked;
	unsigned wrong;
};

static uint64_t draw(struct worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

static void saw(uint64_t value)
{
	norn_event("norn.saw", (long long)value);
}

/* Reads of all widths; those that straddle two words are not indivisible and have no value to compare. */
static void read_some(size_t at, unsigned width)
{
	const unsigned char *p = arena.bytes + at;
	uint64_t value;
	switch (width) {
	case 1:
		value = *(const volatile unsigned char *)p;
		break;
	case 2:
		value = *(const volatile loose16 *)p;
		break;
	case 4:
		value = *(const volatile loose32 *)p;
		break;
	default:
		value = *(const volatile loose64 *)p;
	}
	if (at % 8 + width <= 8)
		saw(value);
}

static void write_some(size_t at, unsigned width, uint64_t value)
{
	unsigned char *p = arena.bytes + at;
	switch (width) {
	case 1:
		*(volatile unsigned char *)p = (unsigned char)value;
		break;
	case 2:
		*(volatile loose16 *)p = (uint16_t)value;
		break;
	case 4:
		*(volatile loose32 *)p = (uint32_t)value;
		break;
	default:
		*(volatile loose64 *)p = value;
	}
}

/* Atomics among the racy words. Only words that libc leaves alone: elsewhere its write may come between an operation and its
 * record. */
static void atomics(uint64_t random)
{
	size_t word = CALM + random % (WORDS - CALM);
	uint64_t operand = random >> 32, expected;
	switch (random >> 8 & 7) {
	case 0:
		saw((uint8_t)(atomic_fetch_add(&arena.a8[word * 8 + (random >> 16 & 7)], (uint8_t)operand) + operand));
		break;
	case 1:
		saw((uint16_t)(atomic_fetch_xor_explicit(
		                       &arena.a16[word * 4 + (random >> 16 & 3)], (uint16_t)operand, memory_order_relaxed) ^
		               operand));
		break;
	case 2:
		saw((uint32_t)(atomic_fetch_sub_explicit(
		                       &arena.a32[word * 2 + (random >> 16 & 1)], (uint32_t)operand, memory_order_acq_rel) -
		               operand));
		break;
	case 3:
		saw(atomic_fetch_or(&arena.a64[word], operand) | operand);
		break;
	case 4:
		atomic_exchange(&arena.a64[word], random);
		saw(random);
		break;
	case 5:
		expected = atomic_load(&arena.a64[word]);
		saw(expected);
		if (atomic_compare_exchange_strong(&arena.a64[word], &expected, random))
			expected = random;
		saw(expected);
		break;
	case 6:
		atomic_store_explicit(&arena.a32[word * 2], (uint32_t)operand, memory_order_release);
		break;
	default:
		saw(atomic_load_explicit(&arena.a16[word * 4 + 1], memory_order_acquire));
	}
}

static void count(struct worker *w, uint64_t random)
{
	unsigned i = random >> 8 & 7;
	atomic_fetch_add(&counter8[i], (uint8_t)random);
	w->added8[i] += (uint8_t)random;
	atomic_fetch_add_explicit(&counter32[i & 1], (uint32_t)random, memory_order_relaxed);
	w->added32[i & 1] += (uint32_t)random;
	uint64_t old = atomic_load(&counter64);
	while (!atomic_compare_exchange_weak(&counter64, &old, old + random))
		;
	w->added64 += random;
}

static void swap_pair(struct worker *w)
{
	unsigned __int128 old = pair, is;
	for (;; old = is) {
		uint64_t low = (uint64_t)old + 1;
		is = __sync_val_compare_and_swap(&pair, old, (unsigned __int128)~low << 64 | low);
		if (is == old)
			break;
	}
	if ((uint64_t)(is >> 64) != ~(uint64_t)is)
		w->wrong++;
	w->pairs++;
}

static void ranges(uint64_t random)
{
	size_t bytes = 1 + (random >> 8) % 40;
	size_t from = (random >> 16) % (sizeof arena.bytes - bytes + 1), to = (random >> 24) % (sizeof arena.bytes - bytes + 1);
	unsigned char local[40];
	switch (random >> 32 & 3) {
	case 0:
		memmove(arena.bytes + to, arena.bytes + from, bytes);
		break;
	case 1:
		memset(arena.bytes + to, (int)(random >> 40), bytes);
		break;
	case 2:
		memcpy(local, arena.bytes + from, bytes);
		local[bytes / 2]++;
		memcpy(arena.bytes + to, local, bytes);
		break;
	default:
		bytes = bytes > sizeof arena.bytes / 2 ? sizeof arena.bytes / 2 : bytes;
		memcpy(arena.bytes + sizeof arena.bytes / 2, arena.bytes, bytes);
	}
}

/* libc writes, and it is not instrumented. */
static void external(uint64_t random)
{
	size_t at = (random >> 8) % (CALM * 8 - 12);
	snprintf((char *)arena.bytes + at, 12, "%x", (unsigned)random);
	read_some(at / 8 * 8, 8);
}

/* A block goes round: the thread that takes it checks that it is as its maker left it, and frees it. */
static void pass_block(struct worker *w, uint64_t random)
{
	size_t bytes = 1 + random % BLOCK_BYTES;
	unsigned char *mine = random & 1 << 20 ? malloc(bytes + 1) : calloc(1, bytes + 1);
	if (!mine)
		abort();
	if (random & 1 << 21)
		mine = realloc(mine, bytes + 64);
	mine[0] = (unsigned char)bytes;
	memset(mine + 1, (int)bytes ^ 0x5a, bytes);
	unsigned char *theirs = atomic_exchange(&blocks[random >> 32 & (BLOCKS - 1)], mine);
	for (size_t i = 1; theirs && i <= theirs[0]; i++)
		if (theirs[i] != (theirs[0] ^ 0x5a))
			w->wrong++;
	free(theirs);
}

static void hold(struct worker *w)
{
	if (pthread_mutex_trylock(&lock))
		pthread_mutex_lock(&lock);
	uint64_t value = *(volatile uint64_t *)&locked_counter;
	saw(value);
	*(volatile uint64_t *)&locked_counter = value + 1;
	pthread_mutex_unlock(&lock);
	w->locked++;
}

/* The same word by all, back to back. */
static void hammer(uint64_t random)
{
	for (unsigned i = 0; i < 16; i++) {
		write_some(7 * 8, 8, random + i);
		read_some(7 * 8, 8);
	}
}

/* Words far apart, one of them by each way to it. */
static void roam(struct worker *w)
{
	uint64_t random = draw(w);
	unsigned char *here = field + (random >> 8) % FIELD * FAR, *there = field + (random >> 24) % FIELD * FAR;
	switch (random & 7) {
	case 0 ... 2:
		*(volatile uint64_t *)here = random;
		break;
	case 3 ... 4:
		saw(*(volatile uint64_t *)here);
		break;
	case 5:
		saw(atomic_fetch_add((_Atomic uint64_t *)here, 1) + 1);
		break;
	case 6:
		memcpy(there, here, 24);
		break;
	default:
		memset(here, (int)random, 24);
	}
}

static void step(struct worker *w)
{
	uint64_t random = draw(w);
	unsigned width = 1u << (random >> 60 & 3);
	size_t aligned = (random >> 50) % (sizeof arena.bytes / width) * width;
	size_t loose = (random >> 50) % (sizeof arena.bytes - width + 1);
	switch (random & 31) {
	case 0 ... 8:
		read_some(aligned, width);
		break;
	case 9 ... 14:
		write_some(aligned, width, random >> 8);
		break;
	case 15 ... 16:
		read_some(loose, width);
		break;
	case 17 ... 18:
		write_some(loose, width, random >> 8);
		break;
	case 19 ... 22:
		atomics(random >> 5);
		break;
	case 23:
		count(w, random >> 5);
		break;
	case 24:
		swap_pair(w);
		break;
	case 25 ... 27:
		ranges(random >> 5);
		break;
	case 28:
		external(random >> 5);
		break;
	case 29:
		pass_block(w, random >> 5);
		break;
	case 30:
		hold(w);
		break;
	default:
		hammer(random);
	}
}

static void *work(void *argument)
{
	struct worker *w = argument;
	for (unsigned i = 0; i < rounds; i++)
		if (mode == HOT)
			hammer(draw(w));
		else if (mode == WIDE)
			roam(w);
		else
			step(w);
	return NULL;
}

static unsigned check(const struct worker *workers, size_t threads)
{
	struct worker sum = {0};
	for (size_t t = 0; t < threads; t++) {
		for (unsigned i = 0; i < 8; i++)
			sum.added8[i] += workers[t].added8[i];
		for (unsigned i = 0; i < 2; i++)
			sum.added32[i] += workers[t].added32[i];
		sum.added64 += workers[t].added64;
		sum.pairs += workers[t].pairs;
		sum.locked += workers[t].locked;
		sum.wrong += workers[t].wrong;
	}
	for (unsigned i = 0; i < 8; i++)
		sum.wrong += atomic_load(&counter8[i]) != (uint8_t)sum.added8[i];
	for (unsigned i = 0; i < 2; i++)
		sum.wrong += atomic_load(&counter32[i]) != (uint32_t)sum.added32[i];
	sum.wrong += atomic_load(&counter64) != sum.added64;
	sum.wrong += (uint64_t)pair != sum.pairs;
	sum.wrong += locked_counter != sum.locked;
	return sum.wrong;
}

int main(int argc, char **argv)
{
	size_t threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;
	rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100000;
	if (argc > 3)
		mode = strcmp(argv[3], "hot") == 0 ? HOT : WIDE;
	static struct worker workers[MOST_THREADS];
	if (threads > MOST_THREADS)
		return 2;
	pair = (unsigned __int128)~0ull << 64;
	for (size_t t = 0; t < threads; t++) {
		workers[t].random = 0x9e3779b97f4a7c15ull * (t + 1);
		if (pthread_create(&workers[t].thread, NULL, work, &workers[t]))
			return 2;
	}
	for (size_t t = 0; t < threads; t++)
		pthread_join(workers[t].thread, NULL);
	for (unsigned i = 0; i < BLOCKS; i++)
		free(atomic_load(&blocks[i]));
	unsigned wrong = check(workers, threads);
	printf("%u wrong\n", wrong);
	return wrong != 0;
}
