/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
static int d;
T(w)
{
	d++;
	sem_post(&s);
	return 0;
}
int main()
{
	for (int k = 0; k < 3; k++) {
		pthread_t x;
		sem_init(&s, 0, 0);
		GO(x, w, 0);
		sem_wait(&s);
		d++;
		WAIT(x);
		sem_destroy(&s);
	}
	return d != 6;
}
