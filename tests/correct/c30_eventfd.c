/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
#include <sys/eventfd.h>
#include <poll.h>
static int e, d;
T(w)
{
	uint64_t v = 1;
	J();
	d = 4;
	if (write(e, &v, 8) != 8)
		abort();
	return 0;
}
int main()
{
	pthread_t x;
	uint64_t v;
	e = eventfd(0, 0);
	GO(x, w, 0);
	struct pollfd p = {e, POLLIN, 0};
	poll(&p, 1, -1);
	if (read(e, &v, 8) != 8)
		abort();
	d++;
	WAIT(x);
	return d != 5;
}
