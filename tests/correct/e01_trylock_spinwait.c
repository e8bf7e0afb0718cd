/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* loser of trylock knows winner will post */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static int d;
T(w)
{
	if (pthread_mutex_trylock(&m) == 0) {
		d = 1;
		J();
		sem_post(&s);
	} else {
		sem_wait(&s);
		d++;
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return d != 2;
}
