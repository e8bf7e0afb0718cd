/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static int p[2], d;
T(w)
{
	J();
	d = 4;
	close(p[1]);
	return 0;
}
int main()
{
	pthread_t x;
	char c;
	if (pipe(p))
		return 1;
	GO(x, w, 0);
	if (read(p[0], &c, 1) != 0)
		abort();
	d++;
	WAIT(x);
	return d != 5;
}
