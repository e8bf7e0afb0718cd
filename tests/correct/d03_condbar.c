/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int n, gen;
static int g[2][3];
static void bar(void)
{
	L(m);
	int my = gen;
	if (++n == 3) {
		n = 0;
		gen++;
		pthread_cond_broadcast(&c);
	} else
		while (gen == my)
			pthread_cond_wait(&c, &m);
	U(m);
}
T(w)
{
	long i = (long)a;
	for (int r = 0; r < 4; r++) {
		g[(r + 1) & 1][i] = g[r & 1][(i + 1) % 3] + 1;
		J();
		bar();
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return g[0][0] != 4;
}
