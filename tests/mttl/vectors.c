/* The variables and blocks of MTTL's vectors. */
#include "player.h"

#define HOOKED __attribute__((noinline))

volatile int x, y, chk, sav, m;

#define VARIABLE(name)                                                                                                             \
	HOOKED void read_##name(int value)                                                                                         \
	{                                                                                                                          \
		(void)name;                                                                                                        \
		(void)value;                                                                                                       \
	}                                                                                                                          \
	HOOKED void write_##name(int value)                                                                                        \
	{                                                                                                                          \
		name = value;                                                                                                      \
	}

VARIABLE(x)
VARIABLE(y)
VARIABLE(chk)
VARIABLE(sav)
VARIABLE(m)

HOOKED void enter_block(int value)
{
	__asm__ volatile("" ::"r"(value));
}

HOOKED void leave_block(int value)
{
	__asm__ volatile("" ::"r"(value));
}

static const struct act acts[] = {{"rx", read_x}, {"wx", write_x}, {"ry", read_y}, {"wy", write_y}, {"rc", read_chk},
        {"wc", write_chk}, {"rs", read_sav}, {"ws", write_sav}, {"rm", read_m}, {"wm", write_m}, {"(", enter_block},
        {")", leave_block}, {0, 0}};

int main(int argc, char **argv)
{
	return argc == 2 ? play(argv[1], 3, acts) : 2;
}
