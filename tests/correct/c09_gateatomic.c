/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int f;
static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
T(p)
{
	L(A);
	J();
	L(B);
	U(B);
	U(A);
	atomic_store(&f, 1);
	return 0;
}
T(q)
{
	while (!atomic_load(&f))
		sched_yield();
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
	GO(x, p, 0);
	GO(y, q, 0);
	WAIT(x);
	WAIT(y);
	return 0;
}
