/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_barrier_t b;
static int g[2][3];
T(w)
{
	long i = (long)a;
	for (int r = 0; r < 5; r++) {
		g[(r + 1) & 1][i] = g[r & 1][i] + g[r & 1][(i + 1) % 3] + 1;
		J();
		pthread_barrier_wait(&b);
	}
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
	printf("%d\n", g[1][0]);
	return 0;
}
