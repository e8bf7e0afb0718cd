/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* CLH lock: nodes are recycled between threads */
struct N {
	atomic_int l;
};
static struct N dm;
static _Atomic(struct N *) tail = &dm;
static struct N nd[2];
static int d;
T(w)
{
	struct N *me = &nd[(intptr_t)a];
	for (int k = 0; k < 4; k++) {
		atomic_store(&me->l, 1);
		struct N *p = atomic_exchange(&tail, me);
		while (atomic_load(&p->l))
			sched_yield();
		d++;
		atomic_store(&me->l, 0);
		me = p;
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	return d != 8;
}
