/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m;
static int n;
T(w)
{
	L(m);
	if (pthread_mutex_lock(&m) == EDEADLK)
		n++;
	U(m);
	if (pthread_mutex_unlock(&m) != EPERM)
		abort();
	return 0;
}
int main()
{
	pthread_mutexattr_t at;
	pthread_mutexattr_init(&at);
	pthread_mutexattr_settype(&at, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &at);
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return n != 2;
}
