/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static int d;
T(w)
{
	J();
	d++;
	exit(0);
}
int main()
{
	pthread_t x;
	d = 1;
	GO(x, w, 0);
	pthread_exit(0);
}
