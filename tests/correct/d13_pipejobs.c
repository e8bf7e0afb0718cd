/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* MPMC of pointers through a pipe; slot index tokens */
static int p[2], r[2];
T(w)
{
	for (int k = 0; k < 3; k++) {
		int *x;
		if (read(p[0], &x, 8) != 8)
			abort();
		x[0]++;
		J();
		if (write(p[1], &x, 8) != 8)
			abort();
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	if (pipe(p))
		return 1;
	int u = 0, v = 0;
	int *q = &u;
	if (write(p[1], &q, 8) != 8)
		abort();
	q = &v;
	if (write(p[1], &q, 8) != 8)
		abort();
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return u + v != 9;
}
