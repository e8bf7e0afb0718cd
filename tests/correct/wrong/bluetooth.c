/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * check: --model $SRC/../settle.model
 * cc: settle.o
 * cc: -DLOCKED settle.o
 * finding: ^assertion !s predicted at bluetooth.c
 * silent: -DFIXED settle.o
 */
/* The classic bluetooth driver: the stopper runs to its end before the adder has counted itself, and takes the count to 0 from what it began with, as it did
 * from what the adder had left (V2). With LOCKED the flag is looked at under the lock, so that nothing races. */

#include "../settle.h"
#include "open/lucky.h"

static int pending = 1, stopping, stopped;
static int event;
MX(m);
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int inc(void)
{
	int r = 0;
#if defined FIXED || defined LOCKED
	L(m);
#endif
	if (stopping)
		r = -1;
#if defined FIXED || defined LOCKED
	U(m);
#endif
	if (r)
		return r;
	L(m);
	F(if (stopping) {
		U(m);
		return -1;
	})
	pending++;
	U(m);
	return 0;
}
static void dec(void)
{
	L(m);
	if (--pending == 0) {
		event = 1;
		pthread_cond_signal(&c);
	}
	U(m);
}
T(adder)
{
	if (inc() == 0) {
		L(m);
		int s = stopped;
		U(m);
		assert(!s); /* @ */
		dec();
	}
	return 0;
}
T(stopper)
{
	L(m);
	stopping = 1;
	U(m);
	dec();
	L(m);
	while (!event)
		pthread_cond_wait(&c, &m);
	stopped = 1;
	U(m);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	GO(t, adder, 0);
	settle();
	GO(u, stopper, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
