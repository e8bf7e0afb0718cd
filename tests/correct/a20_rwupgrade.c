/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static int *c;
T(w)
{
	int v;
	for (;;) {
		pthread_rwlock_rdlock(&r);
		if (c) {
			v = *c;
			pthread_rwlock_unlock(&r);
			return (void *)(intptr_t)v;
		}
		pthread_rwlock_unlock(&r);
		J();
		pthread_rwlock_wrlock(&r);
		if (!c) {
			c = malloc(4);
			*c = 5;
		}
		pthread_rwlock_unlock(&r);
	}
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", *c);
	free(c);
	return 0;
}
