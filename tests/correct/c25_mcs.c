/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct N {
	_Atomic(struct N *) n;
	atomic_int w;
};
static _Atomic(struct N *) tail;
static int d;
T(w)
{
	struct N me;
	for (int k = 0; k < 3; k++) {
		atomic_store(&me.n, 0);
		atomic_store(&me.w, 1);
		struct N *p = atomic_exchange(&tail, &me);
		if (p) {
			atomic_store(&p->n, &me);
			while (atomic_load(&me.w))
				sched_yield();
		}
		d++;
		J();
		struct N *e = &me;
		if (!atomic_load(&me.n)) {
			if (atomic_compare_exchange_strong(&tail, &e, 0))
				continue;
			while (!atomic_load(&me.n))
				sched_yield();
		}
		atomic_store(&atomic_load(&me.n)->w, 0);
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
	return d != 6;
}
