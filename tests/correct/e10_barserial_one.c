/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* serial of two successive rounds touches d: second round separates */
static pthread_barrier_t b;
static int d;
T(w)
{
	for (int r = 0; r < 4; r++)
		if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
			d++;
	return 0;
}
int main()
{
	pthread_t t[2];
	pthread_barrier_init(&b, 0, 2);
	for (int i = 0; i < 2; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 2; i++)
		WAIT(t[i]);
	return d != 4;
}
