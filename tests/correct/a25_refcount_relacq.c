/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct O {
	atomic_int r;
	int v;
};
T(w)
{
	struct O *o = a;
	J();
	o->v;
	if (atomic_fetch_sub_explicit(&o->r, 1, memory_order_release) == 1) {
		atomic_thread_fence(memory_order_acquire);
		o->v = 0;
		free(o);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	struct O *o = malloc(sizeof *o);
	atomic_init(&o->r, 2);
	o->v = 1;
	pthread_create(&x, 0, w, o);
	pthread_create(&y, 0, w, o);
	WAIT(x);
	WAIT(y);
	return 0;
}
