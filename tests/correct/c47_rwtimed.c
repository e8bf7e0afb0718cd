/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static int d;
T(w)
{
	for (int k = 0; k < 3; k++) {
		struct timespec t = soon(300);
		if (pthread_rwlock_timedwrlock(&r, &t)) {
			pthread_rwlock_wrlock(&r);
		}
		d++;
		usleep(200);
		pthread_rwlock_unlock(&r);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return d != 6;
}
