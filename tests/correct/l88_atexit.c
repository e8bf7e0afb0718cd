/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the handler runs when all threads are joined */
#include "correct.h"
static int d, *p;
static void bye(void)
{
	printf("%d\n", d + *p);
	free(p);
}
T(w)
{
	d++;
	*p = 3;
	atexit(bye);
	return a;
}
int main(void)
{
	pthread_t x;
	p = malloc(4);
	GO(x, w, 0);
	WAIT(x);
	d++;
	exit(0);
}
