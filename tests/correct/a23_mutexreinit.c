/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* the same mutex memory reused across phases with join in between */
static pthread_mutex_t m;
static int n;
T(w)
{
	L(m);
	n++;
	U(m);
	return 0;
}
int main()
{
	for (int k = 0; k < 3; k++) {
		pthread_t x, y;
		pthread_mutex_init(&m, 0);
		GO(x, w, 0);
		GO(y, w, 0);
		WAIT(x);
		WAIT(y);
		pthread_mutex_destroy(&m);
	}
	printf("%d\n", n);
	return 0;
}
