/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the vectorised loop has a tail; the elements after n are another thread's */
#include "correct.h"
static float v[67], u[67];
__attribute__((noinline)) static void axpy(float *q, const float *r, int n)
{
	for (int i = 0; i < n; i++)
		q[i] = q[i] * 2.0f + r[i];
}
T(w)
{
	axpy(v, u, 29);
	return a;
}
T(x)
{
	axpy(v + 29, u + 29, 38);
	return a;
}
int main(void)
{
	pthread_t s, t;
	float n = 0;
	for (int i = 0; i < 67; i++)
		v[i] = u[i] = (float)i;
	GO(s, w, 0);
	GO(t, x, 0);
	WAIT(s);
	WAIT(t);
	for (int i = 0; i < 67; i++)
		n += v[i];
	printf("%.0f\n", n);
	return 0;
}
