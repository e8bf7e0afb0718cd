/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* lock destroyed and reinitialised under an outer lock */
static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER, m;
static int d;
T(w)
{
	for (int k = 0; k < 3; k++) {
		L(g);
		pthread_mutex_init(&m, 0);
		if (pthread_mutex_trylock(&m))
			abort();
		d++;
		U(m);
		pthread_mutex_destroy(&m);
		U(g);
		J();
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
