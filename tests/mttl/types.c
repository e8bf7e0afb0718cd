/* Threads with a type and threads without, many readers of the same words: by scripts. */
#include <norn.h>
#include <pthread.h>

#include "player.h"

volatile int x, y, pair[2];
volatile long whole;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define ACT(name, what)                                                                                                            \
	__attribute__((noinline)) void name(int value)                                                                             \
	{                                                                                                                          \
		(void)value;                                                                                                       \
		what;                                                                                                              \
	}

ACT(be_named, norn_thread_name("t"))
ACT(read_x, (void)x)
ACT(write_x, x = value)
ACT(read_y, (void)y)
ACT(write_y, y = value)
ACT(read_half, (void)pair[value & 1])
ACT(write_half, pair[value & 1] = value)
ACT(read_whole, (void)whole)
ACT(write_whole, whole = value)
ACT(meet, pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock))
ACT(enter_block, )
ACT(leave_block, )

static const struct act acts[] = {{"n", be_named}, {"rx", read_x}, {"wx", write_x}, {"ry", read_y}, {"wy", write_y},
        {"rh", read_half}, {"wh", write_half}, {"rw", read_whole}, {"ww", write_whole}, {"m", meet}, {"(", enter_block},
        {")", leave_block}, {0, 0}};

int main(int argc, char **argv)
{
	return argc == 2 ? play(argv[1], 8, acts) : 2;
}
