/* norn-test
 * silent:
 * unjudged:
 */
/* Bit fields that share a word, a packed struct that lies across words, and a union, all under one lock; neighbours that are no bit fields have locks of their own. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static struct {
	unsigned a : 3, b : 5, c : 24;
} bits;
static struct __attribute__((packed)) {
	char tag;
	uint32_t word;
	uint16_t half;
	uint64_t big;
} packed;
static union {
	float f;
	uint32_t u;
	struct {
		uint16_t lo, hi;
	} h;
} both;
static struct {
	char mine[2];
	short s[2];
} neighbours;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *run(void *arg)
{
	int me = (int)(size_t)arg;
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		assert(bits.a == bits.b % 8 && bits.c == bits.b * 7u);
		bits.b = (bits.b + 1u) & 31;
		bits.a = bits.b & 7;
		bits.c = bits.b * 7u;
		packed.tag = (char)i;
		packed.word++;
		packed.half = (uint16_t)packed.word;
		packed.big = (uint64_t)packed.word << 32 | packed.half;
		assert(packed.big >> 32 == packed.word && (uint16_t)packed.big == packed.half);
		both.f = (float)packed.word;
		assert((uint32_t)(both.h.hi << 16 | both.h.lo) == both.u);
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&own[me]);
		neighbours.mine[me]++;
		neighbours.s[me] = (short)(neighbours.mine[me] * 2);
		assert(neighbours.s[me] == 2 * (i + 1));
		pthread_mutex_unlock(&own[me]);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(packed.word == 10 && bits.b == 10 && bits.a == 2 && both.f == 10.0f);
	puts("ok");
	return 0;
}
