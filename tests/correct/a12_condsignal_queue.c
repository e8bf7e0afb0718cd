/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
struct N {
	struct N *n;
	int v;
};
static struct N *h;
static int fin;
static int got[2];
T(w)
{
	long i = (long)a;
	for (;;) {
		L(m);
		while (!h && !fin)
			pthread_cond_wait(&c, &m);
		struct N *x = h;
		if (!x) {
			U(m);
			return 0;
		}
		h = x->n;
		U(m);
		got[i] += x->v;
		free(x);
		J();
	}
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	for (int i = 0; i < 5; i++) {
		struct N *q = malloc(sizeof *q);
		q->v = i;
		L(m);
		q->n = h;
		h = q;
		pthread_cond_signal(&c);
		U(m);
		J();
	}
	L(m);
	fin = 1;
	pthread_cond_broadcast(&c);
	U(m);
	WAIT(x);
	WAIT(y);
	printf("%d\n", got[0] + got[1]);
	return 0;
}
