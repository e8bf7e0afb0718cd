/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;
struct O {
	pthread_mutex_t m;
	int v;
};
static struct O *o;
T(mk)
{
	struct O *x = malloc(sizeof *x);
	pthread_mutex_init(&x->m, 0);
	x->v = 0;
	J();
	L(g);
	o = x;
	U(g);
	L(x->m);
	x->v++;
	U(x->m);
	return 0;
}
T(us)
{
	struct O *x;
	do {
		L(g);
		x = o;
		U(g);
		J();
	} while (!x);
	L(x->m);
	x->v++;
	U(x->m);
	return 0;
}
int main()
{
	pthread_t t[3];
	GO(t[0], us, 0);
	GO(t[1], mk, 0);
	GO(t[2], us, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", o->v);
	pthread_mutex_destroy(&o->m);
	free(o);
	return 0;
}
