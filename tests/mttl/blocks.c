/* Blocks of the source, one within the other. */
#include <norn.h>

#include "player.h"

volatile int x, y;

#define ACT(name, what)                                                                                                            \
	__attribute__((noinline)) void name(int value)                                                                             \
	{                                                                                                                          \
		(void)value;                                                                                                       \
		what;                                                                                                              \
	}

ACT(audit, norn_atomic_begin("audit"))
ACT(inner, norn_atomic_begin("inner"))
ACT(other, norn_atomic_begin("other"))
ACT(leave, norn_atomic_end())
ACT(write_x, x = value)
ACT(read_x, (void)x)
ACT(write_y, y = value)
ACT(read_y, (void)y)

static const struct act acts[] = {{"a", audit}, {"i", inner}, {"o", other}, {"e", leave}, {"wx", write_x}, {"rx", read_x},
        {"wy", write_y}, {"ry", read_y}, {0, 0}};

int main(int argc, char **argv)
{
	return argc == 2 ? play(argv[1], 2, acts) : 2;
}
