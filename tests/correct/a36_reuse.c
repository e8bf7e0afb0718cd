/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* each thread malloc/free the same size: addresses recur across threads */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int s;
T(w)
{
	for (int i = 0; i < 5; i++) {
		int *p = malloc(40);
		p[0] = i;
		p[5] = 1;
		J();
		L(m);
		s += p[0] + p[5];
		U(m);
		free(p);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	WAIT(x);
	GO(y, w, 0);
	w(0);
	WAIT(y);
	printf("%d\n", s);
	return 0;
}
