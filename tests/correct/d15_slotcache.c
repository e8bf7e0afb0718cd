/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* one-slot cache of a block: take by exchange, put back by CAS else free */
static _Atomic(int *) sl;
T(w)
{
	for (int k = 0; k < 4; k++) {
		int *p = atomic_exchange(&sl, 0);
		if (!p) {
			p = malloc(16);
		}
		p[0] = k;
		J();
		p[1] = p[0];
		int *e = 0;
		if (!atomic_compare_exchange_strong(&sl, &e, p))
			free(p);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	free(sl);
	return 0;
}
