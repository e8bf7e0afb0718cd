/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void two(pthread_mutex_t *x, pthread_mutex_t *y)
{
	for (;;) {
		pthread_mutex_lock(x);
		struct timespec t = soon(2000);
		J();
		if (pthread_mutex_timedlock(y, &t) == 0) {
			n++;
			pthread_mutex_unlock(y);
			pthread_mutex_unlock(x);
			return;
		}
		pthread_mutex_unlock(x);
		usleep(100);
	}
}
T(p)
{
	two(&A, &B);
	return 0;
}
T(q)
{
	two(&B, &A);
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
