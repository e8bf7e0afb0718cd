/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct W {
	sem_t s;
	int v;
};
T(w)
{
	struct W *x = a;
	J();
	x->v = 2;
	sem_post(&x->s);
	return 0;
}
int main()
{
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		struct W *x = malloc(sizeof *x);
		sem_init(&x->s, 0, 0);
		pthread_create(&t, 0, w, x);
		sem_wait(&x->s);
		if (x->v != 2)
			abort();
		sem_destroy(&x->s);
		free(x);
		WAIT(t);
	}
	return 0;
}
