/* norn-test
 * cc: -g -O1 -pthread
 * exit: signal 15
 * stdout: handled twice
 * dump-count: 2 main +signal +signal 15
 */
/* SA_RESETHAND uses itself up: the third signal kills, as it would without Norn. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

static volatile int handled;

static void handle(int sig)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = (int)SA_RESETHAND};
	if (++handled == 1)
		sigaction(sig, &action, NULL);
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = (int)SA_RESETHAND};
	sigaction(SIGTERM, &action, NULL);
	raise(SIGTERM);
	raise(SIGTERM);
	puts(handled == 2 ? "handled twice" : "not handled");
	fflush(stdout);
	raise(SIGTERM);
	return 0;
}
