/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_barrier_t b;
static pthread_mutex_t m;
static int d;
T(w)
{
	long i = (long)a;
	for (int r = 0; r < 3; r++) {
		if (!i)
			pthread_mutex_init(&m, 0);
		pthread_barrier_wait(&b);
		L(m);
		d++;
		U(m);
		pthread_barrier_wait(&b);
		if (!i)
			pthread_mutex_destroy(&m);
		pthread_barrier_wait(&b);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	pthread_barrier_init(&b, 0, 2);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	return d != 6;
}
