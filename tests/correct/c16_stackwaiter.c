/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct W {
	pthread_cond_t c;
	int go;
	struct W *n;
};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct W *h;
static int fin;
T(w)
{
	struct W x = {PTHREAD_COND_INITIALIZER, 0, 0};
	L(m);
	x.n = h;
	h = &x;
	while (!x.go)
		pthread_cond_wait(&x.c, &m);
	fin++;
	U(m);
	pthread_cond_destroy(&x.c);
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int k = 0; k < 3;) {
		L(m);
		if (h) {
			struct W *x = h;
			h = x->n;
			x->go = 1;
			pthread_cond_signal(&x->c);
			k++;
		}
		U(m);
		J();
	}
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return fin != 3;
}
