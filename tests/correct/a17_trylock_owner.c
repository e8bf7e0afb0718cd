/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* main holds lock until worker has started (sem); worker's trylock fails necessarily -> uses the sem'd data */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s, s2;
static int d;
T(w)
{
	sem_wait(&s);
	if (pthread_mutex_trylock(&m) == 0) {
		d = 100;
		U(m);
	} else {
		d++;
	}
	sem_post(&s2);
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	sem_init(&s2, 0, 0);
	GO(x, w, 0);
	L(m);
	d = 1;
	sem_post(&s);
	sem_wait(&s2);
	d++;
	U(m);
	WAIT(x);
	printf("%d\n", d);
	return 0;
}
