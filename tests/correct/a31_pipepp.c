/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static int p[2], q[2];
static int d;
T(w)
{
	char c;
	for (int i = 0; i < 4; i++) {
		if (read(p[0], &c, 1) != 1)
			abort();
		d += c;
		if (write(q[1], &c, 1) != 1)
			abort();
	}
	return 0;
}
int main()
{
	pthread_t x;
	char c;
	if (pipe(p) || pipe(q))
		return 1;
	GO(x, w, 0);
	for (int i = 0; i < 4; i++) {
		d++;
		c = i;
		if (write(p[1], &c, 1) != 1)
			abort();
		if (read(q[0], &c, 1) != 1)
			abort();
		d++;
	}
	WAIT(x);
	printf("%d\n", d);
	return 0;
}
