/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the buffer is as large as is said, but little of it is used */
#include "correct.h"
#include <sys/mman.h>
#include <sys/socket.h>
static char *big;
static int s[2];
T(w)
{
	long n = (long)read(s[0], big, 1L << 34);
	n += (long)recv(s[0], big + (1L << 33), 1L << 33, 0);
	(void)a;
	return (void *)n;
}
int main(void)
{
	pthread_t x;
	void *r;
	big = mmap(0, 1L << 35, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (big == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s))
		abort();
	GO(x, w, 0);
	if (write(s[1], "abc", 3) != 3 || write(s[1], "de", 2) != 2)
		abort();
	pthread_join(x, &r);
	printf("%d %s\n", (int)(intptr_t)r, big);
	return 0;
}
