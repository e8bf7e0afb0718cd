/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, data;
static atomic_int s;
T(w)
{
	L(m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	U(m);
	s += data;
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, i);
	J();
	data = 9;
	L(m);
	ready = 1;
	pthread_cond_broadcast(&c);
	U(m);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", s);
	return 0;
}
