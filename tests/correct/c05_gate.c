/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER, A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
T(p)
{
	L(g);
	L(A);
	J();
	L(B);
	U(B);
	U(A);
	U(g);
	return 0;
}
T(q)
{
	L(g);
	L(B);
	J();
	L(A);
	U(A);
	U(B);
	U(g);
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
