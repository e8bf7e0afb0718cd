/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t g;
static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
T(p)
{
	sem_wait(&g);
	L(A);
	J();
	L(B);
	U(B);
	U(A);
	sem_post(&g);
	return 0;
}
T(q)
{
	sem_wait(&g);
	L(B);
	J();
	L(A);
	U(A);
	U(B);
	sem_post(&g);
	return 0;
}
int main()
{
	pthread_t x, y;
	sem_init(&g, 0, 1);
	GO(x, p, 0);
	GO(y, q, 0);
	WAIT(x);
	WAIT(y);
	return 0;
}
