/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t dn;
static _Atomic(int *) p;
static atomic_int ran;
T(A)
{
	int *x = malloc(4);
	*x = 1;
	atomic_store(&p, x);
	L(m);
	if (!atomic_load(&ran))
		J();
	sem_wait(&dn);
	U(m);
	return 0;
}
T(B)
{
	usleep(1000);
	if (pthread_mutex_trylock(&m) != 0) {
		int *x = atomic_load(&p);
		*x += 1;
	} else
		U(m);
	sem_post(&dn);
	return 0;
}
int main()
{
	pthread_t x, y;
	sem_init(&dn, 0, 0);
	GO(x, A, 0);
	GO(y, B, 0);
	WAIT(x);
	WAIT(y);
	free(p);
	return 0;
}
