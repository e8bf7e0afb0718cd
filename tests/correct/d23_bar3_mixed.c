/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* threads do differing work in rounds; freed in round 3 by one, allocated in round 1 by another */
static pthread_barrier_t b;
static int *p;
T(w)
{
	long i = (long)a;
	if (i == 0)
		p = malloc(4);
	pthread_barrier_wait(&b);
	if (i == 1)
		*p = 1;
	pthread_barrier_wait(&b);
	if (i == 2)
		++*p;
	pthread_barrier_wait(&b);
	if (i == 0)
		free(p);
	pthread_barrier_wait(&b);
	if (i == 1) {
		p = malloc(4);
		*p = 3;
	}
	pthread_barrier_wait(&b);
	if (i == 2)
		free(p);
	return 0;
}
int main()
{
	pthread_t t[3];
	pthread_barrier_init(&b, 0, 3);
	for (int i = 0; i < 3; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
