/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static int d;
T(q)
{
	pthread_rwlock_rdlock(&r);
	J();
	pthread_rwlock_rdlock(&r);
	int x = d;
	pthread_rwlock_unlock(&r);
	pthread_rwlock_unlock(&r);
	return (void *)(intptr_t)x;
}
T(w)
{
	J();
	pthread_rwlock_wrlock(&r);
	d++;
	pthread_rwlock_unlock(&r);
	return 0;
}
int main()
{
	pthread_t t[3];
	GO(t[0], q, 0);
	GO(t[1], w, 0);
	GO(t[2], q, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
