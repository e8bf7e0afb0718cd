/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O0, now and then: race calls, race len observed: the callback runs under the stream's lock.
 * Correct: libc calls the cookie's functions under the stream's lock */
#include "correct.h"
static int calls;
static char text[4096];
static size_t len;
static ssize_t put(void *c, const char *b, size_t n)
{
	(void)c;
	calls++;
	memcpy(text + len, b, n);
	len += n;
	return (ssize_t)n;
}
static FILE *f;
T(w)
{
	for (int i = 0; i < 5; i++)
		fputs("x\n", f);
	return a;
}
int main(void)
{
	pthread_t x, y;
	f = fopencookie(&calls, "w", (cookie_io_functions_t){.write = put});
	setvbuf(f, 0, _IOLBF, 128);
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	fclose(f);
	printf("%d %zu\n", calls, len);
	return len != 20;
}
