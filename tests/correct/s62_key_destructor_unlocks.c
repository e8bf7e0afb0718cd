/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a destructor of thread-specific data counts under a lock, and posts for the last time */
#include "correct.h"
static pthread_key_t k;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static int d;
static void gone(void *a)
{
	int *p = a;
	L(m);
	d += *p;
	U(m);
	free(p);
	sem_post(&s);
}
T(w)
{
	int *p = malloc(sizeof *p);
	*p = 5;
	pthread_setspecific(k, p);
	pthread_detach(pthread_self());
	return a;
}
int main(void)
{
	pthread_t x;
	pthread_key_create(&k, gone);
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	GO(x, w, 0);
	sem_wait(&s);
	sem_wait(&s);
	printf("%d\n", d);
	return d != 10;
}
