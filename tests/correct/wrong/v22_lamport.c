/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race X predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: the second look at x is missing */
#include "alone.h"
static volatile _Atomic int x, y, b1, b2, bad;
static int X;
T(p1)
{
	for (;;) {
		b1 = 1;
		x = 1;
		if (y != 0) {
			b1 = 0;
			while (y)
				sched_yield();
			continue;
		}
		y = 1;
#ifdef FIXED
		if (x != 1) {
			b1 = 0;
			while (b2)
				sched_yield();
			if (y != 1) {
				while (y)
					sched_yield();
				continue;
			}
		}
#endif
		break;
	}
	X = 0;
	if (X > 0)
		abort();
	y = 0;
	b1 = 0;
	return 0;
}
T(p2)
{
	for (;;) {
		b2 = 1;
		x = 2;
		if (y != 0) {
			b2 = 0;
			while (y)
				sched_yield();
			continue;
		}
		y = 2;
#ifdef FIXED
		if (x != 2) {
			b2 = 0;
			while (b1)
				sched_yield();
			if (y != 2) {
				while (y)
					sched_yield();
				continue;
			}
		}
#endif
		break;
	}
	X = 1;
	if (X < 1)
		abort();
	y = 0;
	b2 = 0;
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
	return 0;
}
