/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O1 -pthread -DQUICK
 * exit: 41
 * stdout: last words
 * dump-count: 1 main +exit +status 41
 * never: enter +never_runs
 */
/* _exit and quick_exit: no handlers, and the records before them are all there. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void never_runs(void)
{
	puts("this must not be printed");
}

int main(void)
{
	atexit(never_runs);
	puts("last words");
	fflush(stdout);
#ifdef QUICK
	quick_exit(41);
#else
	_exit(41);
#endif
}
