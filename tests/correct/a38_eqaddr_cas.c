/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* CAS guard on pointer equality while lock held (no ABA) */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *cur;
T(w)
{
	for (int i = 0; i < 4; i++) {
		int *n = malloc(16);
		*n = i;
		L(m);
		int *o = cur;
		cur = n;
		U(m);
		J();
		if (o) {
			*o = 9;
			free(o);
		}
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
	free(cur);
	return 0;
}
