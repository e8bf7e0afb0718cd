/* norn-test
 * silent: -lrt
 * unjudged:
 */
/* Correct: aio_suspend returns when the kernel has written the buffer */
#include "correct.h"
#include <aio.h>
#include <fcntl.h>
static char b[16];
static int d;
T(w)
{
	d += b[0];
	b[0]++;
	return a;
}
int main(void)
{
	pthread_t x;
	int f = open("f", O_CREAT | O_RDWR, 0600);
	if (write(f, "hello", 5) != 5)
		abort();
	struct aiocb c = {.aio_fildes = f, .aio_buf = b, .aio_nbytes = 5};
	const struct aiocb *l[] = {&c};
	aio_read(&c);
	while (aio_error(&c) == EINPROGRESS)
		aio_suspend(l, 1, 0);
	if (aio_return(&c) != 5)
		abort();
	b[0]++;
	GO(x, w, 0);
	WAIT(x);
	printf("%d %s\n", d, b);
	return 0;
}
