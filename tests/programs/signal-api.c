/* norn-test
 * cc: -g -O1 -pthread
 * stdout: handlers are the program's own
 * stdout: reset, nested, masked, on its stack, interrupted, value 42
 * stdout: errno kept
 * dump: main +signal +signal 10
 * dump-count: 1 signal +signal 12
 */
/* What sigaction and its kin promise still holds with Norn's handler in between. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(x)                                                                                                                   \
	do {                                                                                                                       \
		if (!(x)) {                                                                                                        \
			printf("line %d: %s\n", __LINE__, #x);                                                                     \
			exit(1);                                                                                                   \
		}                                                                                                                  \
	} while (0)

static volatile int depth, deepest, runs, value;
static void *volatile stack_used;
static char stack[256 << 10];

static void simple(int sig)
{
	runs += sig == SIGUSR1;
}

static void nests(int sig)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (depth < 3)
		raise(sig);
	depth--;
}

static void detailed(int sig, siginfo_t *info, void *context)
{
	int here;
	CHECK(sig == info->si_signo && context);
	stack_used = &here;
	value = info->si_value.sival_int;
}

static void spoils_errno(int sig)
{
	errno = sig;
}

static sighandler_t installed(int sig, int *flags)
{
	struct sigaction now;
	CHECK(sigaction(sig, NULL, &now) == 0);
	if (flags)
		*flags = now.sa_flags;
	return now.sa_handler;
}

static void queries(void)
{
	struct sigaction action = {.sa_handler = simple, .sa_flags = SA_RESTART}, old;
	int flags;
	CHECK(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == SIG_DFL);
	CHECK(installed(SIGUSR1, &flags) == simple && (flags & SA_RESTART) && !(flags & SA_SIGINFO));
	CHECK(siginterrupt(SIGUSR1, 1) == 0 && installed(SIGUSR1, &flags) == simple && !(flags & SA_RESTART));
	CHECK(signal(SIGUSR1, nests) == simple && installed(SIGUSR1, &flags) == nests && !(flags & SA_RESTART));
	CHECK(siginterrupt(SIGUSR1, 0) == 0 && signal(SIGUSR1, SIG_IGN) == nests && signal(SIGUSR1, SIG_DFL) == SIG_IGN);
	CHECK(signal(SIGKILL, simple) == SIG_ERR && errno == EINVAL && signal(1000, simple) == SIG_ERR && errno == EINVAL);
	action.sa_sigaction = detailed;
	action.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER;
	sigaddset(&action.sa_mask, SIGHUP);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGUSR1, NULL, &old) == 0);
	CHECK(old.sa_sigaction == detailed && (old.sa_flags & ~0x04000000) == action.sa_flags && sigismember(&old.sa_mask, SIGHUP));
	signal(SIGUSR1, SIG_DFL);
	puts("handlers are the program's own");
}

static void behaviour(void)
{
	CHECK(sysv_signal(SIGUSR1, simple) == SIG_DFL);
	raise(SIGUSR1);
	CHECK(runs == 1 && installed(SIGUSR1, NULL) == SIG_DFL);

	struct sigaction action = {.sa_handler = nests, .sa_flags = SA_NODEFER};
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	CHECK(deepest == 3 && depth == 0);

	action.sa_flags = 0;
	deepest = 0;
	sigaction(SIGUSR1, &action, NULL);
	CHECK(sigset(SIGUSR2, SIG_HOLD) == SIG_DFL);
	raise(SIGUSR2);
	CHECK(sigset(SIGUSR2, SIG_IGN) == SIG_HOLD);
	depth = 2; /* it must not raise itself once more: that would come later, over and over */
	raise(SIGUSR1);
	CHECK(deepest == 3 && depth == 2);

	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	CHECK(sigaltstack(&alternate, NULL) == 0);
	action.sa_sigaction = detailed;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 42});
	CHECK(value == 42 && (char *)stack_used > stack && (char *)stack_used < stack + sizeof stack);
	printf("reset, nested, masked, on its stack, interrupted, value %d\n", value);
}

int main(void)
{
	queries();
	behaviour();
	signal(SIGUSR1, spoils_errno);
	errno = 0;
	raise(SIGUSR1);
	CHECK(errno == SIGUSR1);
	puts("errno kept");
	return 0;
}
