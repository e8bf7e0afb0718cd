/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* fetch_add counter: the last of 3 arrivals reads everyone's data */
static atomic_int n;
static int d[3], s;
T(w)
{
	long i = (long)a;
	d[i] = i + 1;
	J();
	if (atomic_fetch_add(&n, 1) == 2) {
		s = d[0] + d[1] + d[2];
		d[0] = 0;
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", s);
	return 0;
}
