/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t o = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int r, d;
T(p)
{
	L(o);
	L(m);
	while (!r)
		pthread_cond_wait(&c, &m);
	U(m);
	d++;
	U(o);
	return 0;
}
T(q)
{
	J();
	L(m);
	r = 1;
	pthread_cond_signal(&c);
	U(m);
	L(o);
	d++;
	U(o);
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, p, 0);
	GO(y, q, 0);
	WAIT(x);
	WAIT(y);
	return d != 2;
}
