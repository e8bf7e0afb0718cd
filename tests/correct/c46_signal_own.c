/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* two cond waiters of one cond; each waiter re-signals (baton) so that any wake order works */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items, got;
T(w)
{
	L(m);
	while (!items)
		pthread_cond_wait(&c, &m);
	items--;
	got++;
	if (items)
		pthread_cond_signal(&c);
	U(m);
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	usleep(1000);
	L(m);
	items = 3;
	pthread_cond_signal(&c);
	U(m);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return got != 3;
}
