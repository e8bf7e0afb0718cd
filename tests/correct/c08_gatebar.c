/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_barrier_t b;
static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
T(p)
{
	L(A);
	J();
	L(B);
	U(B);
	U(A);
	pthread_barrier_wait(&b);
	return 0;
}
T(q)
{
	pthread_barrier_wait(&b);
	L(B);
	J();
	L(A);
	U(A);
	U(B);
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
	return 0;
}
