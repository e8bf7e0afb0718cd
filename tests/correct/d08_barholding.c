/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_barrier_t b;
static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER;
static int d;
T(p)
{
	pthread_barrier_wait(&b);
	L(A);
	d++;
	pthread_barrier_wait(&b);
	U(A);
	return 0;
}
T(q)
{
	L(A);
	d++;
	U(A);
	pthread_barrier_wait(&b);
	pthread_barrier_wait(&b);
	L(A);
	d++;
	U(A);
	return 0;
}
int main()
{
	pthread_t x, y;
	pthread_barrier_init(&b, 0, 2);
	GO(x, p, 0);
	GO(y, q, 0);
	WAIT(x);
	WAIT(y);
	return d != 3;
}
