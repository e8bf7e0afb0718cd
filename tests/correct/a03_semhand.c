/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s[4];
static int n;
T(w)
{
	long i = (long)a;
	sem_wait(&s[i]);
	n += i;
	J();
	sem_post(&s[i + 1]);
	return 0;
}
int main()
{
	pthread_t x, y, z;
	for (int i = 0; i < 4; i++)
		sem_init(&s[i], 0, 0);
	GO(x, w, 0);
	GO(y, w, 1);
	GO(z, w, 2);
	n = 1;
	sem_post(&s[0]);
	sem_wait(&s[3]);
	printf("%d\n", n);
	WAIT(x);
	WAIT(y);
	WAIT(z);
	return 0;
}
