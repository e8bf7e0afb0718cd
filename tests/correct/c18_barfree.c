/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct B {
	pthread_barrier_t b;
	int v;
};
T(w)
{
	struct B *x = a;
	J();
	if (pthread_barrier_wait(&x->b) == PTHREAD_BARRIER_SERIAL_THREAD) {
		pthread_barrier_destroy(&x->b);
		free(x);
	}
	return 0;
}
int main()
{
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		struct B *x = malloc(sizeof *x);
		pthread_barrier_init(&x->b, 0, 2);
		pthread_create(&t, 0, w, x);
		w(x);
		WAIT(t);
	}
	return 0;
}
