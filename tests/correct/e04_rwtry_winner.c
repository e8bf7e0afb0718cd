/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static int d;
static pthread_barrier_t b;
T(w)
{
	int ok = pthread_rwlock_trywrlock(&r) == 0;
	if (ok)
		d++;
	pthread_barrier_wait(&b);
	if (ok)
		pthread_rwlock_unlock(&r);
	pthread_barrier_wait(&b);
	pthread_rwlock_rdlock(&r);
	int x = d;
	pthread_rwlock_unlock(&r);
	return (void *)(intptr_t)x;
}
int main()
{
	pthread_t t[3];
	pthread_barrier_init(&b, 0, 3);
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return d != 1;
}
