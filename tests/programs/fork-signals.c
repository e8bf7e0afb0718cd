/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 60 children
 * never: \d (?!main)\S+ +begin
 * dump-count: 1 \d main +begin
 */
/* Signals that arrive while a fork is under way are handled by the same thread as before, not by one that nobody knows. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

int main(void)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	int children = 0;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 60; i++) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		while (waitpid(child, NULL, 0) < 0)
			;
		children++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d children\n", children);
}
