/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* ping-pong with one cond var and two predicates: broadcast */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int st, d;
T(w)
{
	for (int i = 0; i < 3; i++) {
		L(m);
		while (st != 1)
			pthread_cond_wait(&c, &m);
		U(m);
		d++;
		L(m);
		st = 0;
		pthread_cond_signal(&c);
		U(m);
	}
	return 0;
}
int main()
{
	pthread_t x;
	GO(x, w, 0);
	for (int i = 0; i < 3; i++) {
		d++;
		L(m);
		st = 1;
		pthread_cond_signal(&c);
		while (st != 0)
			pthread_cond_wait(&c, &m);
		U(m);
	}
	WAIT(x);
	printf("%d\n", d);
	return 0;
}
