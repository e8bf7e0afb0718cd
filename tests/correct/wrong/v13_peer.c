/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-free sk.state predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a peer is used when the lock has been given up */
#include "alone.h"
struct sk {
	int state;
	struct sk *peer;
};
static struct sk *s1, *s2;
MUTEX(m);
T(sendmsg_)
{
	L(m);
	struct sk *p = s1->peer;
#ifndef FIXED
	U(m);
#endif
	if (p) {
		p->state++;
	}
#ifdef FIXED
	U(m);
#endif
	return 0;
}
T(release_)
{
	L(m);
	s1->peer = 0;
	struct sk *p = s2;
	s2 = 0;
	U(m);
	free(p);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	s1 = calloc(1, sizeof *s1);
	s2 = calloc(1, sizeof *s2);
	s1->peer = s2;
	GO(t, sendmsg_, 0);
	settle();
	GO(u, release_, 0);
	WAIT(t);
	WAIT(u);
	free(s1);
	return 0;
}
