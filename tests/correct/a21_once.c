/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_once_t o = PTHREAD_ONCE_INIT;
static int *p;
static void in(void)
{
	p = malloc(8);
	*p = 3;
	J();
	p[1] = 4;
}
T(w)
{
	J();
	pthread_once(&o, in);
	return (void *)(intptr_t)(p[0] + p[1]);
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", p[1]);
	free(p);
	return 0;
}
