/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: the callback frees the object when the last reference is gone */
#include "correct.h"
#include "k-part.h"
struct o {
	int refs, v[2];
};
static void drop(void *a)
{
	struct o *o = a;
	printf("%d\n", o->v[0] + o->v[1]);
	free(o);
}
static struct o *o;
T(w)
{
	int i = (int)(intptr_t)a;
	o->v[i] = i + 1;
	J();
	part_unref(&o->refs, drop, o);
	return 0;
}
int main(void)
{
	pthread_t x, y;
	o = calloc(1, sizeof *o);
	part_ref(&o->refs);
	part_ref(&o->refs);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	return 0;
}
