/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int dn;
static int d;
T(w)
{
	J();
	d = 1;
	return 0;
}
int main()
{
	pthread_t x;
	GO(x, w, 0);
	while (pthread_tryjoin_np(x, 0) == EBUSY)
		usleep(100);
	d++;
	return d != 2;
}
