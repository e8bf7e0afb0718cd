/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* winner keeps the lock for ever; only it touches d, then joins */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;
T(w)
{
	if (pthread_mutex_trylock(&m) == 0)
		d++;
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return d != 1;
}
