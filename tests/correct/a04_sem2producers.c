/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* two producers each write own slot, consumer waits for both posts before reading either */
static sem_t s;
static int d[2];
T(w)
{
	long i = (long)a;
	J();
	d[i] = 7;
	sem_post(&s);
	J();
	return 0;
}
int main()
{
	pthread_t x, y;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	GO(y, w, 1);
	sem_wait(&s);
	sem_wait(&s);
	d[0] += d[1];
	d[1] = 0;
	printf("%d\n", d[0]);
	WAIT(x);
	WAIT(y);
	return 0;
}
