/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
static int d;
T(w)
{
	J();
	d++;
	sem_post(&s);
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	for (int i = 0; i < 3; i++) {
		GO(x, w, 0);
		pthread_detach(x);
		sem_wait(&s);
		d++;
	}
	return d != 6;
}
