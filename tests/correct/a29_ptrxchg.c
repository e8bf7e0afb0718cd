/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* exchange hands over ownership; each owner frees what it took */
struct O {
	int v;
};
static _Atomic(struct O *) p;
T(w)
{
	for (int k = 0; k < 4; k++) {
		struct O *o = malloc(sizeof *o);
		o->v = k;
		struct O *q = atomic_exchange(&p, o);
		J();
		if (q) {
			q->v++;
			free(q);
		}
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	free(p);
	return 0;
}
