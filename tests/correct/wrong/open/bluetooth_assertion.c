/* The classic bluetooth driver. norn cc -g -O1 -pthread bluetooth_assertion.c -o w && norn run ./w      (-O0, -O1, -O2:
 * every recording)
 * reported: race on stopping only (found so only because `stopping` is read without the lock: with L(m)/U(m) around that
 * read: "0 findings; complete").
 * should be: assertion fails: !s (stopped is 1): adder reads stopping == 0; the stopper runs to its end (its --pending
 * reads 1: the initial value, as recorded, where the
 * value came from the adder's dec); the adder goes on.
 * If `if (--pending == 0) event = 1` decides nothing (no branch on it), the assertion is predicted. So in the search for
 * assertions a fixed read (pending, 1) does not take its value from the
 * static initialiser, or from an equal value, when regions of the lock have to change places.
 * GIVEN BACK h20: not begun, free to take */

#include "lucky.h"

static int pending = 1, stopping, stopped;
static int event;
MX(m);
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int inc(void)
{
	int r = 0;
	F(L(m);) if (stopping) r = -1;
	F(U(m);) if (r) return r;
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
	nap(20);
	GO(u, stopper, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
