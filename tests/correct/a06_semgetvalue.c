/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
static int n;
T(w)
{
	n = 5;
	sem_post(&s);
	J();
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	int v;
	do {
		sem_getvalue(&s, &v);
		J();
	} while (v < 1);
	sem_wait(&s);
	printf("%d\n", n);
	WAIT(x);
	return 0;
}
