/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m;
static int n;
static void in(void)
{
	L(m);
	n++;
	U(m);
}
T(w)
{
	for (int i = 0; i < 3; i++) {
		L(m);
		n++;
		in();
		J();
		n++;
		U(m);
	}
	return 0;
}
int main()
{
	pthread_mutexattr_t at;
	pthread_mutexattr_init(&at);
	pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &at);
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", n);
	return 0;
}
