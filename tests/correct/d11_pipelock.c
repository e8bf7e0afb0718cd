/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static int p[2], d;
T(w)
{
	char c;
	for (int k = 0; k < 3; k++) {
		if (read(p[0], &c, 1) != 1)
			abort();
		d++;
		J();
		if (write(p[1], &c, 1) != 1)
			abort();
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	if (pipe(p) || write(p[1], "t", 1) != 1)
		return 1;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return d != 6;
}
