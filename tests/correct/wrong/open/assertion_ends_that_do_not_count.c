/* norn cc -g -O1 -pthread assertion_ends_that_do_not_count.c -o w && norn run ./w      (-O0, -O1)
 * reported: 0 findings; complete.
 * should be: that the check X == 2 fails in another schedule (lost update). The file has `if (X != 2) return 1;` in
 * main, as most test programs do.
 * 22 ways to end tried. Predicted: assert (also && "text"), abort (behind fprintf, ?:, a macro, a flag taken under a
 * lock), exit(1), exit(EXIT_FAILURE), perror + exit(2), _exit(3), _Exit(3), quick_exit(1).
 * Not predicted, complete:
 *   return 1 from main; return X != 2 from main; rc = 1, goto out, return rc; exit(X != 2)         (the process's
 * status, as exit(1))
 *   die("bad"), a function of the program's own that is noreturn and calls exit(1)                 (noreturn is on its
 * declaration; --assert-function should not be needed)
 *   err(1, …), errx(1, …), error(1, 0, …)                                                          (noreturn, status in
 * the first argument)
 *   raise(SIGABRT), kill(getpid(), SIGABRT); a store to the constant null address */

#include "lucky.h"

#include <err.h>
#include <error.h>
#include <signal.h>
#define CHECK(c)                                                                                                                   \
	do {                                                                                                                       \
		if (!(c)) {                                                                                                        \
			fprintf(stderr, "%s failed\n", #c);                                                                        \
			abort();                                                                                                   \
		}                                                                                                                  \
	} while (0)
MX(m);
static int X;
__attribute__((noreturn, noinline)) static void die(const char *s)
{
	fputs(s, stderr);
	exit(1);
}
T(w)
{
	L(m);
	int v = X;
	U(m);
	L(m);
	X = v + 1;
	U(m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	(void)die;
	GO(a, w, 0);
	nap(12);
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	if (X != 2)
		return 1;
	return 0;
}
