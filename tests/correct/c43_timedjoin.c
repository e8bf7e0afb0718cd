/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static int d;
T(w)
{
	J();
	usleep(500);
	d = 1;
	return 0;
}
int main()
{
	pthread_t x;
	GO(x, w, 0);
	for (;;) {
		struct timespec t = soon(200);
		if (pthread_timedjoin_np(x, 0, &t) == 0)
			break;
	}
	d++;
	return d != 2;
}
