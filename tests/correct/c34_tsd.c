/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_key_t k;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;
static void ds(void *x)
{
	L(m);
	d += *(int *)x;
	U(m);
	free(x);
}
T(w)
{
	int *p = malloc(4);
	*p = 2;
	pthread_setspecific(k, p);
	J();
	return 0;
}
int main()
{
	pthread_t x, y;
	pthread_key_create(&k, ds);
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return d != 4;
}
