/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: what threads have written is read at exit, by functions that were registered before they began */
#include "correct.h"
static int d[2];
static void last(void)
{
	printf("%d\n", d[0] + d[1]);
	d[0] = 9;
}
static void very_last(int status, void *a)
{
	(void)status;
	if (*(int *)a != 9)
		_exit(7);
}
T(w)
{
	d[(intptr_t)a] = 5;
	return a;
}
int main(void)
{
	pthread_t x, y;
	on_exit(very_last, d);
	atexit(last);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	exit(0);
}
