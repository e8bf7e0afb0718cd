/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static int own[2];
T(w)
{
	long i = (long)a;
	for (int k = 0; k < 4; k++) {
		if (pthread_mutex_trylock(&m) == 0) {
			n++;
			J();
			U(m);
		} else
			own[i]++;
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d\n", n + own[0] + own[1]);
	return 0;
}
