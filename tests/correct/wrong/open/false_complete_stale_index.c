/* norn cc -g -O1 -pthread false_complete_stale_index.c -o w && norn run ./w      (-O0, -O1, -O2: 15 of 15 recordings)
 * reported: 0 findings; complete.
 * should be: assertion fails: top == 8. The index is read in one region and used in the next (arr[k] = 1; top = k + 1).
 * Without the store to arr[k] it is predicted.
 * cause (guess): the address of arr[k] changes with k, so k must be as recorded; nothing that the assertion needs reads
 * arr. */

#include "lucky.h"

/* reads the index under the lock, uses it in the next region */
MX(m);
static int top, arr[64];
T(push)
{
	for (int i = 0; i < 4; i++) {
		F(L(m); arr[top++] = 1; U(m);) W(L(m); int k = top; U(m); L(m); arr[k] = 1; top = k + 1; U(m);)
	}
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, push, 0);
	nap(20);
	GO(b, push, 0);
	WAIT(a);
	WAIT(b);
	assert(top == 8); /* @ */
	return 0;
}
