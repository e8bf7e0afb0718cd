/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_barrier_t b;
static atomic_int k;
static int d[4];
T(w)
{
	long i = (long)a;
	J();
	d[i] = 1;
	pthread_barrier_wait(&b);
	d[i]++;
	return 0;
}
int main()
{
	pthread_t t[4];
	pthread_barrier_init(&b, 0, 2);
	for (int i = 0; i < 4; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	return 0;
}
