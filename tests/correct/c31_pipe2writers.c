/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* two writers one reader; reader waits for both bytes */
static int p[2], d[2];
T(w)
{
	long i = (long)a;
	J();
	d[i] = 1;
	char c = i;
	if (write(p[1], &c, 1) != 1)
		abort();
	return 0;
}
int main()
{
	pthread_t x, y;
	if (pipe(p))
		return 1;
	GO(x, w, 0);
	GO(y, w, 1);
	char c;
	for (int i = 0; i < 2; i++) {
		if (read(p[0], &c, 1) != 1)
			abort();
		d[(int)c]++;
	}
	WAIT(x);
	WAIT(y);
	return 0;
}
