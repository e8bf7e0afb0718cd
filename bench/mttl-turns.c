#include "mttl-turns.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_THREAD UINT_MAX

static _Atomic unsigned turn = NO_THREAD;

static void give(unsigned to)
{
	atomic_store(&turn, to);
	syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
}

void turn_begin(void)
{
	give(0);
}

void turn_await(unsigned self)
{
	for (unsigned now; (now = atomic_load(&turn)) != self;)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now, 0, 0, 0);
}

void turn_end(unsigned self, unsigned threads)
{
	give((self + 1) % threads);
}

void turn_pass(unsigned self, unsigned threads)
{
	turn_end(self, threads);
	turn_await(self);
}
