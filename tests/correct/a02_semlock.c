/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
static int n;
T(w)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&s);
		n++;
		J();
		n++;
		sem_post(&s);
		J();
	}
	return 0;
}
int main()
{
	pthread_t x, y, z;
	sem_init(&s, 0, 1);
	GO(x, w, 0);
	GO(y, w, 0);
	GO(z, w, 0);
	WAIT(x);
	WAIT(y);
	WAIT(z);
	printf("%d\n", n);
	return 0;
}
