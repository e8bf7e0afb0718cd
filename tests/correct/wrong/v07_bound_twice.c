/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race .*bound predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: whether a socket is bound is asked without the lock (in the manner of CVE-2016-10200) */
#include "alone.h"
struct sock {
	int bound;
	int refs;
	struct sock *next;
};
static struct sock *table;
MUTEX(lock);
MUTEX(tl);
static struct sock *sk;
T(bind_)
{
#ifdef FIXED
	L(lock);
#endif
	if (!sk->bound) {
#ifndef FIXED
		L(lock);
#endif
		sk->bound = 1;
		L(tl);
		if (table == sk)
			abort(); /* twice on the list */
		sk->next = table;
		table = sk;
		U(tl);
#ifndef FIXED
		U(lock);
#endif
	}
#ifdef FIXED
	U(lock);
#endif
	return 0;
}
T(bind2)
{
	return bind_(a);
}
int main(void)
{
	pthread_t t, u;
	sk = calloc(1, sizeof *sk);
	GO(t, bind_, 0);
	settle();
	GO(u, bind2, 0);
	WAIT(t);
	WAIT(u);
	return table == 0;
}
