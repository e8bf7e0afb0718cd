/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_barrier_t b;
static int *p;
static int out[3];
T(w)
{
	long i = (long)a;
	J();
	if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) {
		p = malloc(sizeof *p);
		*p = 42;
	}
	pthread_barrier_wait(&b);
	out[i] = *p;
	if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
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
	pthread_barrier_destroy(&b);
	printf("%d\n", out[0] + out[1] + out[2]);
	return 0;
}
