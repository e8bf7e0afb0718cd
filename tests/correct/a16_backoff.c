/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
static int n;
T(p)
{
	for (int k = 0; k < 3; k++) {
		L(A);
		J();
		L(B);
		n++;
		U(B);
		U(A);
	}
	return 0;
}
T(q)
{
	for (int k = 0; k < 3; k++)
		for (;;) {
			L(B);
			J();
			if (pthread_mutex_trylock(&A) == 0) {
				n++;
				U(A);
				U(B);
				break;
			}
			U(B);
			J();
		}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, p, 0);
	GO(y, q, 1);
	WAIT(x);
	WAIT(y);
	printf("%d\n", n);
	return 0;
}
