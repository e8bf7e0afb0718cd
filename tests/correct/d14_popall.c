/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct N {
	struct N *n;
	int v;
};
static _Atomic(struct N *) h;
static atomic_int left = 6;
static int s;
T(w)
{
	for (int k = 0; k < 3; k++) {
		struct N *x = malloc(sizeof *x);
		x->v = 1;
		struct N *o = atomic_load(&h);
		do
			x->n = o;
		while (!atomic_compare_exchange_weak(&h, &o, x));
		J();
	}
	return 0;
}
T(c)
{
	int g = 0;
	while (g < 6) {
		struct N *x = atomic_exchange(&h, 0);
		while (x) {
			struct N *n = x->n;
			s += x->v;
			free(x);
			x = n;
			g++;
		}
		sched_yield();
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	GO(t[0], w, 0);
	GO(t[1], w, 1);
	GO(t[2], c, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return s != 6;
}
