/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the child writes to the pipe what it was sent, after the data are written */
#include "hand.h"
static FILE *w, *r;
static int f[2];
static void init(void)
{
	if (pipe(f))
		abort();
	char c[64];
	snprintf(c, sizeof c, "cat >&%d", f[1]);
	w = popen(c, "w");
	r = fdopen(f[0], "r");
}
static void set(void)
{
	fputs("go\n", w);
	pclose(w);
}
static int seen(void)
{
	char b[8];
	return fgets(b, sizeof b, r) && b[0] == 'g';
}
