/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* own free list under lock: same address with different owners */
struct N {
	struct N *n;
	int v;
};
static struct N st[2];
static struct N *fl;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
T(w)
{
	for (int k = 0; k < 4; k++) {
		struct N *x;
		do {
			L(m);
			x = fl;
			if (x)
				fl = x->n;
			U(m);
		} while (!x && !sched_yield());
		x->v++;
		J();
		L(m);
		x->n = fl;
		fl = x;
		U(m);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	st[0].n = &st[1];
	fl = &st[0];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return st[0].v + st[1].v != 12;
}
