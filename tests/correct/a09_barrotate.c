/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* owner of datum rotates each round */
static pthread_barrier_t b;
static int d;
T(w)
{
	long i = (long)a;
	for (int r = 0; r < 6; r++) {
		if (r % 2 == i)
			d += r;
		J();
		pthread_barrier_wait(&b);
	}
	return 0;
}
int main()
{
	pthread_t x;
	pthread_barrier_init(&b, 0, 2);
	GO(x, w, 1);
	w(0);
	WAIT(x);
	printf("%d\n", d);
	return 0;
}
