/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* same, mutex initialised once; ownership still exclusive */
struct O {
	struct O *n;
	pthread_mutex_t m;
};
static struct O st = {0, PTHREAD_MUTEX_INITIALIZER};
static _Atomic(struct O *) sl = &st;
static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER;
static struct O *pop(void)
{
	struct O *o;
	while (!(o = atomic_exchange(&sl, 0)))
		sched_yield();
	return o;
}
T(p)
{
	for (int k = 0; k < 2; k++) {
		struct O *o = pop();
		L(o->m);
		L(x);
		J();
		U(x);
		U(o->m);
		atomic_store(&sl, o);
	}
	return 0;
}
T(q)
{
	for (int k = 0; k < 2; k++) {
		struct O *o = pop();
		L(x);
		L(o->m);
		J();
		U(o->m);
		U(x);
		atomic_store(&sl, o);
	}
	return 0;
}
int main()
{
	pthread_t a1, b1;
	GO(a1, p, 0);
	GO(b1, q, 0);
	WAIT(a1);
	WAIT(b1);
	return 0;
}
