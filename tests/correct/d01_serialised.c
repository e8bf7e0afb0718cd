/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s, t;
static int d;
T(w)
{
	sem_wait(&s);
	d++;
	sem_post(&t);
	return 0;
}
int main()
{
	pthread_t x, y;
	sem_init(&s, 0, 0);
	sem_init(&t, 0, 0);
	GO(x, w, 0);
	GO(y, w, 0);
	sem_post(&s);
	sem_wait(&t);
	d++;
	sem_post(&s);
	sem_wait(&t);
	d++;
	WAIT(x);
	WAIT(y);
	return d != 4;
}
