/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* double exchange: whoever is second frees */
static atomic_int k;
static int *p;
T(w)
{
	int x = p[0];
	(void)x;
	J();
	if (atomic_exchange(&k, 1) == 1)
		free(p);
	return 0;
}
int main()
{
	pthread_t x, y;
	p = malloc(4);
	*p = 1;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return 0;
}
