/* Ranges of all lengths at all places, and scalars across words, copied and set by threads that know something new all the time: each byte gets what
 * the program meant, and its neighbours stay as they are. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 64
#define LONGEST 24

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char shared[ROOM], meant[ROOM];
static _Alignas(8) unsigned char words[8][8] = {[0 ... 7] = {[0 ... 7] = 0xee}}; /* of each, always as many bytes */
static unsigned wrong;

__attribute__((noinline)) void enter_block(int value)
{
	__asm__ volatile("" ::"r"(value));
}

__attribute__((noinline)) void leave_block(int value)
{
	__asm__ volatile("" ::"r"(value));
}

struct __attribute__((packed)) odd {
	uint64_t eight;
	uint32_t four;
	uint16_t two;
};

__attribute__((noinline, no_instrument_function)) static void mean(size_t at, const unsigned char *from, size_t bytes)
{
	for (volatile size_t i = 0; i < bytes; i++)
		meant[at + i] = from[i];
}

static void *work(void *number)
{
	unsigned char from[LONGEST];
	for (unsigned round = 0; round < 4; round++)
		for (size_t at = 0; at < 16; at++)
			for (size_t bytes = 1; bytes <= LONGEST; bytes++) {
				memset(from, (int)(at * 7 + bytes + round + (uintptr_t)number), sizeof from);
				pthread_mutex_lock(&lock);
				enter_block((int)bytes);
				memcpy(shared + at, from, bytes);
				leave_block(0);
				mean(at, from, bytes);
				struct odd *odd = (struct odd *)(shared + 32 + at),
				           copy = {at * bytes, (uint32_t)bytes, (uint16_t)at};
				odd->eight = copy.eight;
				odd->four = copy.four;
				odd->two = copy.two;
				mean(32 + at, (unsigned char *)&copy, sizeof copy);
				wrong += odd->eight != copy.eight || odd->four != copy.four || odd->two != copy.two;
				size_t few = bytes % 8;
				memcpy(words[few], from, few);
				wrong += memcmp(words[few], from, few) != 0;
				for (size_t i = few; i < 8; i++)
					wrong += ((volatile unsigned char *)words[few])[i] != 0xee;
				wrong += memcmp(shared, meant, sizeof shared) != 0;
				pthread_mutex_unlock(&lock);
			}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%u wrong\n", wrong);
	return wrong != 0;
}
