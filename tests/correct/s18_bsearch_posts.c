/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the function that bsearch calls posts when the data are there */
#include "correct.h"
static sem_t s;
static int d, v[] = {1, 2, 3, 4};
static int compare(const void *x, const void *y)
{
	int c = *(const int *)x - *(const int *)y;
	if (c == 0)
		sem_post(&s);
	return c;
}
T(giver)
{
	int key = 4;
	J();
	d = 1;
	if (!bsearch(&key, v, 4, sizeof v[0], compare))
		abort();
	return a;
}
T(taker)
{
	sem_wait(&s);
	d++;
	return a;
}
int main(void)
{
	pthread_t x, y;
	sem_init(&s, 0, 0);
	GO(x, giver, 0);
	GO(y, taker, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", d);
	return d != 2;
}
