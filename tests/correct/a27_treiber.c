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
static struct N pool[6];
static int s[2];
T(w)
{
	long i = (long)a;
	for (int k = 0; k < 3; k++) {
		struct N *x = &pool[i * 3 + k];
		x->v = k + 1;
		struct N *o = atomic_load(&h);
		do
			x->n = o;
		while (!atomic_compare_exchange_weak(&h, &o, x));
		J();
	}
	return 0;
}
T(q)
{
	long i = (long)a;
	for (int k = 0; k < 3;) {
		struct N *o = atomic_load(&h);
		if (!o) {
			J();
			continue;
		}
		if (atomic_compare_exchange_strong(&h, &o, o->n)) {
			s[i] += o->v;
			k++;
		}
	}
	return 0;
}
int main()
{
	pthread_t t[4];
	GO(t[0], w, 0);
	GO(t[1], w, 1);
	GO(t[2], q, 0);
	GO(t[3], q, 1);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	printf("%d\n", s[0] + s[1]);
	return 0;
}
