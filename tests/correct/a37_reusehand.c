/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* main frees, re-mallocs the same address and hands it to another thread */
static sem_t s, t;
static int *box;
T(w)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&s);
		*box += 1;
		free(box);
		box = 0;
		sem_post(&t);
	}
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	sem_init(&t, 0, 0);
	GO(x, w, 0);
	for (int i = 0; i < 3; i++) {
		int *p = malloc(24);
		*p = 1;
		free(p);
		int *q = malloc(24);
		*q = 2;
		box = q;
		sem_post(&s);
		sem_wait(&t);
	}
	WAIT(x);
	return 0;
}
