/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* thread B joins thread A; main joins B only, then reads A's data */
static int d;
static pthread_t ta;
T(A)
{
	J();
	d = 5;
	return 0;
}
T(B)
{
	WAIT(ta);
	d++;
	return 0;
}
int main()
{
	pthread_t b;
	GO(ta, A, 0);
	GO(b, B, 0);
	WAIT(b);
	printf("%d\n", d);
	return 0;
}
