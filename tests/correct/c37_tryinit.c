/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* trylock winner initialises, loser blocks by lock until done */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *p;
T(w)
{
	if (pthread_mutex_trylock(&m) != 0)
		L(m);
	if (!p) {
		p = malloc(4);
		*p = 0;
	}
	U(m);
	J();
	L(m);
	++*p;
	U(m);
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	free(p);
	return 0;
}
