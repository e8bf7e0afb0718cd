/* norn-test
 * errors: yes
 * schedule: 12
 * finding: ^assertion
 * twin: -DNOT
 */
/* A byte of what the assertion is about is written apart. NOT: with what was there. */
#include <assert.h>

#include "cast.h"

#ifndef NOT
#define BYTE 1
#else
#define BYTE 0
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
union {
	int whole;
	unsigned char bytes[4];
} shared;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	assert(shared.whole == 0);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	shared.bytes[2] = BYTE;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
