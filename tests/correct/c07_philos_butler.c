/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t g;
static pthread_mutex_t F[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int e[3];
T(p)
{
	long i = (long)a;
	for (int k = 0; k < 2; k++) {
		sem_wait(&g);
		L(F[i]);
		J();
		L(F[(i + 1) % 3]);
		e[i]++;
		U(F[(i + 1) % 3]);
		U(F[i]);
		sem_post(&g);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	sem_init(&g, 0, 2);
	for (int i = 0; i < 3; i++)
		GO(t[i], p, i);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
