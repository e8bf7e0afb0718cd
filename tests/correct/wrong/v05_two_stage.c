/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^assertion b == a1 \+ 1 predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: the second variable follows the first in a region of its own */
#include "alone.h"
MUTEX(ma);
MUTEX(mb);
static int d1, d2;
T(w)
{
	L(ma);
	d1 = 1;
#ifdef FIXED
	L(mb);
	d2 = d1 + 1;
	U(mb);
#endif
	U(ma);
#ifndef FIXED
	L(mb);
	d2 = d1 + 1;
	U(mb);
#endif
	return 0;
}
T(r)
{
	L(ma);
	int a1 = d1;
#ifndef FIXED
	U(ma);
#endif
	if (a1 == 0) {
#ifdef FIXED
		U(ma);
#endif
		return 0;
	}
	L(mb);
	int b = d2;
	U(mb);
#ifdef FIXED
	U(ma);
#endif

	assert(b == a1 + 1);
	return 0;
}
int main(void)
{
	pthread_t t[6];
	GO(t[0], w, 0);
	settle();
	for (int i = 1; i < 6; i++)
		GO(t[i], r, 0);
	for (int i = 0; i < 6; i++)
		WAIT(t[i]);
	return 0;
}
