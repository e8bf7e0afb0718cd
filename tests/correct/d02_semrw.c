/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
static int d;
static atomic_int q;
T(r)
{
	for (int k = 0; k < 3; k++) {
		sem_wait(&s);
		q += d;
		J();
		sem_post(&s);
	}
	return 0;
}
T(w)
{
	for (int k = 0; k < 3; k++) {
		sem_wait(&s);
		sem_wait(&s);
		d++;
		J();
		sem_post(&s);
		sem_post(&s);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	sem_init(&s, 0, 2);
	GO(t[0], r, 0);
	GO(t[1], w, 0);
	GO(t[2], r, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return d != 3;
}
