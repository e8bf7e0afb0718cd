/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* first exchanger (gets 0) initialises, others skip entirely */
static atomic_int o;
static int d;
T(w)
{
	J();
	if (atomic_exchange(&o, 1) == 0)
		d = 5;
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", d);
	return 0;
}
