/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
#include <sys/eventfd.h>
static int e, d;
T(w)
{
	uint64_t v;
	for (int k = 0; k < 3; k++) {
		if (read(e, &v, 8) != 8)
			abort();
		d++;
		J();
		v = 1;
		if (write(e, &v, 8) != 8)
			abort();
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	e = eventfd(1, EFD_SEMAPHORE);
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return d != 6;
}
