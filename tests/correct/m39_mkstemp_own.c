/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: each thread's file has a name of its own */
#include "correct.h"
static int sum[2];
T(w)
{
	int i = (int)(intptr_t)a;
	for (int k = 0; k < 3; k++) {
		char n[] = "tXXXXXX";
		int f = mkstemp(n), v = k + i;
		if (write(f, &v, sizeof v) != sizeof v || pread(f, &v, sizeof v, 0) != sizeof v)
			abort();
		sum[i] += v;
		close(f);
		unlink(n);
	}
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", sum[0], sum[1]);
	return 0;
}
