/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct O {
	atomic_int s, w;
	int v;
};
static int up(struct O *o)
{
	int c = o->s;
	while (c)
		if (atomic_compare_exchange_weak(&o->s, &c, c + 1))
			return 1;
	return 0;
}
static void dropw(struct O *o)
{
	if (atomic_fetch_sub(&o->w, 1) == 1)
		free(o);
}
static void drops(struct O *o)
{
	if (atomic_fetch_sub(&o->s, 1) == 1) {
		o->v = -1;
		dropw(o);
	}
}
T(w)
{
	struct O *o = a;
	for (int k = 0; k < 2; k++) {
		if (up(o)) {
			if (o->v < 0)
				abort();
			drops(o);
		}
		J();
	}
	dropw(o);
	return 0;
}
int main()
{
	pthread_t x, y;
	struct O *o = malloc(sizeof *o);
	o->s = 1;
	o->w = 3;
	o->v = 1;
	pthread_create(&x, 0, w, o);
	pthread_create(&y, 0, w, o);
	J();
	drops(o);
	WAIT(x);
	WAIT(y);
	return 0;
}
