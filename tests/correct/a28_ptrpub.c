/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct O {
	int v;
};
static _Atomic(struct O *) p;
T(w)
{
	struct O *o = malloc(sizeof *o);
	o->v = 8;
	J();
	atomic_store_explicit(&p, o, memory_order_release);
	return 0;
}
int main()
{
	pthread_t x;
	GO(x, w, 0);
	struct O *o;
	while (!(o = atomic_load_explicit(&p, memory_order_acquire)))
		J();
	printf("%d\n", o->v);
	free(o);
	WAIT(x);
	return 0;
}
