/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int r, d;
T(w)
{
	J();
	J();
	d = 3;
	L(m);
	r = 1;
	U(m);
	pthread_cond_signal(&c);
	return 0;
}
int main()
{
	pthread_t x;
	GO(x, w, 0);
	int to = 0;
	L(m);
	while (!r) {
		struct timespec t = soon(200);
		if (pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT)
			to++;
	}
	U(m);
	printf("%d\n", d);
	WAIT(x);
	return 0;
}
