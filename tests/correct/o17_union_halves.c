/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the threads use different bytes of the union */
#include "correct.h"
static union {
	uint64_t all;
	uint32_t half[2];
	uint16_t quarter[4];
	uint8_t byte[8];
} u;
T(w)
{
	for (int i = 0; i < 20; i++) {
		u.half[0] += 3;
		u.byte[1] ^= 5;
	}
	return a;
}
T(v)
{
	for (int i = 0; i < 20; i++) {
		u.quarter[2]++;
		u.byte[6] = (uint8_t)i;
		u.byte[7] = u.byte[6];
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, v, 0);
	WAIT(x);
	WAIT(y);
	printf("%lx\n", u.all);
	return 0;
}
