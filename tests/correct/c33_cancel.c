/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int d;
static void un(void *x)
{
	d++;
	pthread_mutex_unlock(&m);
}
T(w)
{
	L(m);
	pthread_cleanup_push(un, 0);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return 0;
}
int main()
{
	pthread_t x;
	GO(x, w, 0);
	usleep(2000);
	L(m);
	d++;
	U(m);
	pthread_cancel(x);
	WAIT(x);
	L(m);
	d++;
	U(m);
	return 0;
}
