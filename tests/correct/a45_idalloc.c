/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* unique ids by fetch_add index separate slots */
static atomic_int n;
static int d[8];
T(w)
{
	for (int k = 0; k < 4; k++) {
		int i = atomic_fetch_add(&n, 1);
		d[i] = k;
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
	printf("%d\n", d[7]);
	return 0;
}
