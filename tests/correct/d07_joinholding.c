/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static int d;
T(w)
{
	L(m);
	d++;
	U(m);
	sem_post(&s);
	J();
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	sem_wait(&s);
	L(m);
	WAIT(x);
	d++;
	U(m);
	return d != 2;
}
