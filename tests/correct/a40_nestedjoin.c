/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static int d;
T(in)
{
	d++;
	return 0;
}
T(w)
{
	pthread_t x;
	d++;
	GO(x, in, 0);
	WAIT(x);
	d++;
	return 0;
}
int main()
{
	pthread_t x;
	d = 1;
	GO(x, w, 0);
	WAIT(x);
	d++;
	printf("%d\n", d);
	return 0;
}
