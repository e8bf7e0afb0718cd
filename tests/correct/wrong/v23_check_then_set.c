/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race X predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: each looks at the other's flag before it sets its own */
#include "alone.h"
static atomic_int f1, f2, turn;
static int X;
T(p1)
{
#ifdef FIXED
	f1 = 1;
#endif

#ifdef FIXED
	while (f2 >= 1) {
		if (turn != 0) {
			f1 = 0;
			while (turn)
				sched_yield();
			f1 = 1;
		}
	}
#else
	while (f2)
		sched_yield();
	f1 = 1;
#endif
	X++;
	turn = 1;
	f1 = 0;
	return 0;
}
T(p2)
{
#ifdef FIXED
	f2 = 1;
#endif

#ifdef FIXED
	while (f1 >= 1) {
		if (turn != 1) {
			f2 = 0;
			while (turn != 1)
				sched_yield();
			f2 = 1;
		}
	}
#else
	while (f1)
		sched_yield();
	f2 = 1;
#endif
	X++;
	turn = 0;
	f2 = 0;
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, p1, 0);
	settle();
	GO(b, p2, 0);
	WAIT(a);
	WAIT(b);
	return X != 2;
}
