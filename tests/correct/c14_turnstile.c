/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t mx, t1, t2;
static int n;
static int g[2][2];
static void bar(void)
{
	sem_wait(&mx);
	if (++n == 2) {
		sem_post(&t1);
		sem_post(&t1);
	}
	sem_post(&mx);
	sem_wait(&t1);
	sem_wait(&mx);
	if (--n == 0) {
		sem_post(&t2);
		sem_post(&t2);
	}
	sem_post(&mx);
	sem_wait(&t2);
}
T(w)
{
	long i = (long)a;
	for (int r = 0; r < 3; r++) {
		g[(r + 1) & 1][i] = g[r & 1][1 - i] + 1;
		J();
		bar();
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	sem_init(&mx, 0, 1);
	sem_init(&t1, 0, 0);
	sem_init(&t2, 0, 0);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	return 0;
}
