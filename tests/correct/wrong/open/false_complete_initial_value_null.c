/* See false_complete_initial_value_of_array.txt (matrix). norn cc -g -O1 …: 0 findings; complete. Should be: null
 * dereference of ptr (*p = 3 while the other one has set ptr = 0). Found if the guard word has been
 * stored 0 before the threads begin. */

#include "lucky.h"

MX(m);
static int cell, *ptr = &cell;
static int V_;
static int *Vp_ = &V_;
T(w)
{
	L(m);
	int u = V_;
	U(m);
	if (!u) {
		L(m);
		V_ = 1;
		U(m);
		L(m);
		int *p = ptr;
		*p = 3;
		U(m);
		L(m);
		ptr = 0;
		U(m);
		L(m);
		ptr = &cell;
		U(m);
		L(m);
		V_ = 0;
		U(m);
	}
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	nap(15);
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
