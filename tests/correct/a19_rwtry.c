/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static int d;
static atomic_int f;
T(w)
{
	for (int k = 0; k < 4; k++) {
		if (pthread_rwlock_trywrlock(&r) == 0) {
			d++;
			J();
			pthread_rwlock_unlock(&r);
		} else
			f++;
		J();
	}
	return 0;
}
T(q)
{
	int s = 0;
	for (int k = 0; k < 4; k++) {
		if (pthread_rwlock_tryrdlock(&r) == 0) {
			s += d;
			J();
			pthread_rwlock_unlock(&r);
		} else {
			pthread_rwlock_rdlock(&r);
			s += d;
			pthread_rwlock_unlock(&r);
		}
	}
	return (void *)(intptr_t)s;
}
int main()
{
	pthread_t t[4];
	GO(t[0], w, 0);
	GO(t[1], q, 0);
	GO(t[2], w, 0);
	GO(t[3], q, 0);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	printf("%d\n", d);
	return 0;
}
