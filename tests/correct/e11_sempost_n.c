/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* sem counts as quota: writer posts k after writing k cells; reader takes each */
static sem_t s;
static int q[6];
T(w)
{
	for (int i = 0; i < 6; i += 2) {
		q[i] = 1;
		q[i + 1] = 1;
		sem_post(&s);
		sem_post(&s);
	}
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	for (int i = 0; i < 6; i++) {
		sem_wait(&s);
		q[i]++;
	}
	WAIT(x);
	return 0;
}
