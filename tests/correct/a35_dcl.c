/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct O {
	int v;
};
static _Atomic(struct O *) p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct O *get(void)
{
	struct O *o = atomic_load_explicit(&p, memory_order_acquire);
	if (!o) {
		L(m);
		o = atomic_load_explicit(&p, memory_order_relaxed);
		if (!o) {
			o = malloc(sizeof *o);
			o->v = 1;
			J();
			atomic_store_explicit(&p, o, memory_order_release);
		}
		U(m);
	}
	return o;
}
T(w)
{
	J();
	return (void *)(intptr_t)get()->v;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	free(p);
	return 0;
}
