/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a variable of the environment holds the next number */
#include "slot.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init(void)
{
	setenv("NORN_NEXT", "5", 1);
}
static int take(void)
{
	char text[16];
	L(m);
	int n = atoi(getenv("NORN_NEXT"));
	snprintf(text, sizeof text, "%d", n + 1);
	setenv("NORN_NEXT", text, 1);
	U(m);
	return n;
}
static void give(int n)
{
	(void)n;
}
