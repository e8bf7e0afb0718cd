/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/t-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: the library starts and joins the threads; the functions are ours */
#include "correct.h"
#include "t-part.h"
static int d, *p;
T(first)
{
	d = 3;
	p = malloc(sizeof *p);
	*p = 4;
	return a;
}
T(second)
{
	d += *p;
	free(p);
	return a;
}
int main(void)
{
	void *t = t_start(first, 0);
	J();
	t_finish(t);
	t = t_start(second, 0);
	t_finish(t);
	printf("%d\n", d);
	return d != 7;
}
