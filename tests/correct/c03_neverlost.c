/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int d;
T(w)
{
	J();
	L(m);
	d = 1;
	pthread_cond_signal(&c);
	U(m);
	return 0;
}
int main()
{
	pthread_t x;
	L(m);
	GO(x, w, 0);
	pthread_cond_wait(&c, &m);
	d++;
	U(m);
	WAIT(x);
	return 0;
}
