/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* object freed by trylock winner only after all users counted out by atomics */
struct O {
	pthread_mutex_t m;
	atomic_int u;
	int v;
};
static struct O *o;
T(w)
{
	L(o->m);
	o->v++;
	U(o->m);
	atomic_fetch_sub(&o->u, 1);
	return 0;
}
int main()
{
	pthread_t x, y;
	o = calloc(1, sizeof *o);
	pthread_mutex_init(&o->m, 0);
	o->u = 2;
	GO(x, w, 0);
	GO(y, w, 0);
	while (atomic_load(&o->u))
		sched_yield();
	while (pthread_mutex_trylock(&o->m))
		sched_yield();
	o->v++;
	U(o->m);
	pthread_mutex_destroy(&o->m);
	free(o);
	WAIT(x);
	WAIT(y);
	return 0;
}
