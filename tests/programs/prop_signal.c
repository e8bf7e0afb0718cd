/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_signal.prop
 * no-finding: yes
 */
/* A signal handler sets a flag; its write is one like any other. */
#include <signal.h>

volatile sig_atomic_t stop;
static int done;

static void handler(int signal)
{
	(void)signal;
	stop = 1;
}

__attribute__((noinline)) static void do_work(int n)
{
	done += n;
}

int main(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 10 && !stop; i++) {
		if (i == 5)
			raise(SIGUSR1);
#ifndef BAD
		if (!stop)
#endif
			do_work(1);
	}
	return 0;
}
