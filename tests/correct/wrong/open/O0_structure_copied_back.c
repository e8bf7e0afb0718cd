/* norn cc -g -O0 -pthread O0_structure_copied_back.c -o w && norn run ./w      (-O0 only: every recording; found at -O1
 * and -O2)
 * reported: 0 findings; complete.
 * should be: assertion fails: g.a == 2: a copy of the whole struct is made in one region, changed, and written back in
 * the next.
 * cause (guess): at -O0 the copies are memcpy of 12 bytes to and from a local; values are not carried through them. */

#include "lucky.h"

/* a copy of the struct under the lock, changed, and written back in the next region */
struct cfg {
	int a, b, c;
};
static struct cfg g = {1, 1, 1};
MX(m);
T(seta)
{
	F(L(m); g.a++; U(m);) W(L(m); struct cfg c = g; U(m); c.a++; L(m); g = c; U(m);) return 0;
}
T(setb)
{
	F(L(m); g.b++; U(m);) W(L(m); struct cfg c = g; U(m); c.b++; L(m); g = c; U(m);) return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, seta, 0);
	nap(20);
	GO(b, setb, 0);
	WAIT(a);
	WAIT(b);
	assert(g.a == 2); /* @ */
	return 0;
}
