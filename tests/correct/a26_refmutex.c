/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* refcount under object mutex; last destroys mutex after unlock */
struct O {
	pthread_mutex_t m;
	int r;
};
T(w)
{
	struct O *o = a;
	J();
	L(o->m);
	int z = --o->r;
	U(o->m);
	if (!z) {
		pthread_mutex_destroy(&o->m);
		free(o);
	}
	return 0;
}
int main()
{
	for (int k = 0; k < 3; k++) {
		pthread_t x, y;
		struct O *o = malloc(sizeof *o);
		pthread_mutex_init(&o->m, 0);
		o->r = 2;
		pthread_create(&x, 0, w, o);
		pthread_create(&y, 0, w, o);
		WAIT(x);
		WAIT(y);
	}
	return 0;
}
