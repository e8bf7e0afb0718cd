/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* pointers through a pipe */
static int p[2];
T(w)
{
	for (int i = 0; i < 4; i++) {
		int *x;
		if (read(p[0], &x, sizeof x) != sizeof x)
			abort();
		*x += 1;
		free(x);
	}
	return 0;
}
int main()
{
	pthread_t x;
	if (pipe(p))
		return 1;
	GO(x, w, 0);
	for (int i = 0; i < 4; i++) {
		int *y = malloc(4);
		*y = i;
		if (write(p[1], &y, sizeof y) != sizeof y)
			abort();
		J();
	}
	WAIT(x);
	return 0;
}
