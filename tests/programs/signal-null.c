/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O0 -pthread
 * stdout: read at 0x18
 * stdout: write at 0x10
 * stdout: add at 0x8
 */
/* Where a fault was is what the program's handler is told, although a hook did the access: null checks rely on it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

struct four {
	long a, b, c, d;
};

static sigjmp_buf back;
static void *volatile where;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	where = info->si_addr;
	siglongjmp(back, 1);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	volatile struct four *volatile none = NULL;
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(back, 1))
		printf("%ld\n", none->d);
	printf("read at %p\n", where);
	if (!sigsetjmp(back, 1))
		none->c = 1;
	printf("write at %p\n", where);
	if (!sigsetjmp(back, 1))
		__atomic_fetch_add(&none->b, 1, __ATOMIC_SEQ_CST);
	printf("add at %p\n", where);
}
