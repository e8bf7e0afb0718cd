/* norn cc -g -O1 -pthread descriptor_race.c -o w && norn run ./w      (-O0, -O1, -O2: every recording)
 * reported: 0 findings; complete.
 * should be: something: close() of a descriptor that another thread is about to write to. ThreadSanitizer reports it
 * each time ("data race", write against close of the descriptor);
 * issue 18 D: "what ThreadSanitizer would report is never silently missing". At least partial. */

#include "lucky.h"

#include <fcntl.h>
/* one thread closes the descriptor, another one opens another file, a third still writes to the old number */
static int fd;
MX(m);
static int err;
T(writer)
{
	F(L(m);) W(L(m); int f = fd; U(m);) F(int f = fd;) if (f >= 0)
	{
		if (write(f, "x", 1) != 1)
			err = 1;
	}
	F(U(m);)
	W(assert(!err);) return 0;
} //@
T(closer)
{
	L(m);
	int f = fd;
	fd = -1;
	U(m);
	F(L(m);) close(f);
	F(U(m);) return 0;
}
int main(void)
{
	pthread_t a, b;
	fd = open("/dev/null", O_WRONLY);
	GO(a, writer, 0);
	nap(20);
	GO(b, closer, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
