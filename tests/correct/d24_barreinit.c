/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_barrier_t b;
static int d;
T(w)
{
	pthread_barrier_wait(&b);
	return 0;
}
int main()
{
	for (int k = 2; k < 4; k++) {
		pthread_t t[3];
		d = k;
		pthread_barrier_init(&b, 0, k);
		for (int i = 0; i < k - 1; i++)
			GO(t[i], w, 0);
		pthread_barrier_wait(&b);
		for (int i = 0; i < k - 1; i++)
			WAIT(t[i]);
		pthread_barrier_destroy(&b);
	}
	return 0;
}
