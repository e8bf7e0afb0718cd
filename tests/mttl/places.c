/* Accesses of all sizes to parts of two words, each several times, so that code in the program comes to know what it sees (mttl/knowledge_cache.h).
 * "r4at8" reads four bytes from byte 8 on, "rv" and "wv" two words at once. */
#include <stdint.h>

#include "player.h"

#define HOOKED __attribute__((noinline))
#define TIMES 6

typedef uint64_t pair __attribute__((vector_size(16)));

volatile int x;
static union {
	pair pair;
	uint64_t b8[2];
	uint32_t b4[4];
	uint16_t b2[8];
	uint8_t b1[16];
} memory;
static _Thread_local volatile uint64_t sum;

HOOKED void read_x(int value)
{
	(void)x;
	(void)value;
}

HOOKED void write_x(int value)
{
	x = value;
}

#define SIZE(n, type)                                                                                                              \
	HOOKED void read_##n(int at)                                                                                               \
	{                                                                                                                          \
		const volatile type *from = &memory.b##n[at / n];                                                                  \
		for (int i = 0; i < TIMES; i++)                                                                                    \
			sum = *from;                                                                                               \
	}                                                                                                                          \
	HOOKED void write_##n(int at)                                                                                              \
	{                                                                                                                          \
		volatile type *to = &memory.b##n[at / n];                                                                          \
		for (int i = 0; i < TIMES; i++)                                                                                    \
			*to = (type)i;                                                                                             \
	}

SIZE(8, uint64_t)
SIZE(4, uint32_t)
SIZE(2, uint16_t)
SIZE(1, uint8_t)

HOOKED void read_pair(int value)
{
	const volatile pair *from = &memory.pair;
	for (int i = 0; i < TIMES; i++)
		sum = (*from)[value];
}

HOOKED void write_pair(int value)
{
	volatile pair *to = &memory.pair;
	for (int i = 0; i < TIMES; i++)
		*to = (pair){(uint64_t)i, (uint64_t)value};
}

static const struct act acts[] = {{"rx", read_x}, {"wx", write_x}, {"r8at", read_8}, {"w8at", write_8}, {"r4at", read_4},
        {"w4at", write_4}, {"r2at", read_2}, {"w2at", write_2}, {"r1at", read_1}, {"w1at", write_1}, {"rv", read_pair},
        {"wv", write_pair}, {0, 0}};

int main(int argc, char **argv)
{
	return argc == 2 ? play(argv[1], 3, acts) : 2;
}
