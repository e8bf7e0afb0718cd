/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_once_t o = PTHREAD_ONCE_INIT;
static int v;
T(h)
{
	v = 4;
	return 0;
}
static void in(void)
{
	pthread_t t;
	GO(t, h, 0);
	WAIT(t);
	v++;
}
T(w)
{
	pthread_once(&o, in);
	return (void *)(intptr_t)v;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return v != 5;
}
