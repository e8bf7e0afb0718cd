/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct O {
	atomic_int r;
	int v[2];
};
T(w)
{
	struct O *o = a;
	J();
	int x = o->v[0];
	(void)x;
	if (atomic_fetch_sub(&o->r, 1) == 1) {
		o->v[0] = 0;
		free(o);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	struct O *o = malloc(sizeof *o);
	o->r = 3;
	o->v[0] = 1;
	pthread_create(&x, 0, w, o);
	pthread_create(&y, 0, w, o);
	w(o);
	WAIT(x);
	WAIT(y);
	return 0;
}
