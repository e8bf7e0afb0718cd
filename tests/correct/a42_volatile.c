/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* volatile as a harmless local knob, guarded by lock */
static volatile int v;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
T(w)
{
	for (int i = 0; i < 3; i++) {
		L(m);
		v++;
		int x = v;
		v = x;
		U(m);
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
	printf("%d\n", v);
	return 0;
}
