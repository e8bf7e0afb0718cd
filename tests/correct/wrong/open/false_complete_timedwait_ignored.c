/* norn cc -g -O1 -pthread false_complete_timedwait_ignored.c -o w && norn run ./w      (-O0, -O1, -O2: every recording)
 * reported: 0 findings; complete.
 * should be: assertion fails: item == 1: pthread_cond_timedwait may time out first; its result is not looked at. (As
 * false_complete_try_result_ignored: a result that decides nothing is free, section 5, S7.) */

#include "lucky.h"

/* a time-out is taken for a notify */
MX(m);
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int item;
T(w)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 1;
	L(m);
	F(while (!item && pthread_cond_timedwait(&c, &m, &t) == 0); int ok = item;)
	W(pthread_cond_timedwait(&c, &m, &t); int ok = 1;)
	W(assert(item == 1);)
	F(assert(!ok || item == 1);)
	(void)ok;
	U(m);
	return 0;
}
T(s)
{
	L(m);
	item = 1;
	pthread_cond_signal(&c);
	U(m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	nap(30);
	GO(b, s, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
