/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m;
static int d;
T(w)
{
	L(m);
	d = 1;
	return 0;
}
int main()
{
	pthread_mutexattr_t at;
	pthread_mutexattr_init(&at);
	pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &at);
	pthread_t x;
	GO(x, w, 0);
	WAIT(x);
	if (pthread_mutex_lock(&m) == EOWNERDEAD)
		pthread_mutex_consistent(&m);
	d++;
	U(m);
	return d != 2;
}
