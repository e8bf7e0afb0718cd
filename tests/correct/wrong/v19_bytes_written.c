/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race bwritten predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a count is looked at without its lock (in the manner of aget) */
#include "alone.h"
static long bwritten;
MUTEX(bm);
static atomic_int go_on = 1;
static long saved;
T(get)
{
	for (int i = 0; i < 50; i++) {
		L(bm);
		bwritten += 4;
		U(bm);
	}
	return 0;
}
T(sig)
{
#ifdef FIXED
	L(bm);
#endif
	saved = bwritten;
#ifdef FIXED
	U(bm);
#endif
	return 0;
}
int main(void)
{
	pthread_t t, u, s;
	GO(t, get, 0);
	GO(u, get, 0);
	GO(s, sig, 0);
	WAIT(t);
	WAIT(u);
	WAIT(s);
	return bwritten != 400;
}
