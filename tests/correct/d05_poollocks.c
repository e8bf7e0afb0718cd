/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct O {
	struct O *n;
	pthread_mutex_t m;
};
static struct O st;
static struct O *fl = &st;
static pthread_mutex_t pm = PTHREAD_MUTEX_INITIALIZER, x = PTHREAD_MUTEX_INITIALIZER;
static struct O *pop(void)
{
	struct O *o;
	for (;;) {
		L(pm);
		o = fl;
		if (o)
			fl = o->n;
		U(pm);
		if (o)
			return o;
		sched_yield();
	}
}
static void push(struct O *o)
{
	L(pm);
	o->n = fl;
	fl = o;
	U(pm);
}
T(p)
{
	for (int k = 0; k < 2; k++) {
		struct O *o = pop();
		pthread_mutex_init(&o->m, 0);
		L(o->m);
		L(x);
		J();
		U(x);
		U(o->m);
		pthread_mutex_destroy(&o->m);
		push(o);
	}
	return 0;
}
T(q)
{
	for (int k = 0; k < 2; k++) {
		struct O *o = pop();
		pthread_mutex_init(&o->m, 0);
		L(x);
		L(o->m);
		J();
		U(o->m);
		U(x);
		pthread_mutex_destroy(&o->m);
		push(o);
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
