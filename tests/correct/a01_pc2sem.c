/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t e, f;
static int buf[2];
static int sum;
T(p)
{
	for (int i = 0; i < 5; i++) {
		sem_wait(&e);
		buf[i % 2] = i;
		J();
		sem_post(&f);
	}
	return 0;
}
T(c)
{
	for (int i = 0; i < 5; i++) {
		sem_wait(&f);
		sum += buf[i % 2];
		J();
		sem_post(&e);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	sem_init(&e, 0, 2);
	sem_init(&f, 0, 0);
	GO(x, p, 0);
	GO(y, c, 0);
	WAIT(x);
	WAIT(y);
	sem_destroy(&e);
	sem_destroy(&f);
	printf("%d\n", sum);
	return 0;
}
