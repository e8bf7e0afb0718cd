/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* serial thread differs per schedule; only serial touches d between barriers */
static pthread_barrier_t b;
static int d;
T(w)
{
	for (int r = 0; r < 4; r++) {
		J();
		if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
			d++;
		pthread_barrier_wait(&b);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	pthread_barrier_init(&b, 0, 3);
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return d != 4;
}
