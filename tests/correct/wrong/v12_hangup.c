/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^null-dereference tty.ld predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: the line discipline is gone after `closing` was looked at */
#include "alone.h"
struct ldisc {
	int (*recv)(int);
	int n;
};
struct tty {
	struct ldisc *ld;
	int closing;
};
static struct tty tty;
MUTEX(m);
static int rx(int x)
{
	return x + 1;
}
static struct ldisc ld0 = {rx, 0};
T(flush)
{
	int s = 0;
	for (int i = 0; i < 50; i++) {
#ifdef FIXED
		L(m);
#else
		L(m);
		int c = tty.closing;
		U(m);
#endif

#ifdef FIXED
		int c = tty.closing;
#endif
		if (!c)
			s += tty.ld->recv(i);
#ifdef FIXED
		U(m);
#endif
	}
	return (void *)(intptr_t)s;
}
T(hangup)
{
	L(m);
	tty.closing = 1;
	tty.ld = 0;
	U(m);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	tty.ld = &ld0;
	GO(t, flush, 0);
	settle();
	GO(u, hangup, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
