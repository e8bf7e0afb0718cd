/* norn cc -g -O0 -pthread reorder_assertion_O0.c -o w && norn run ./w      (-O0: every recording; found at -O1, -O2)
 * reported: 0 findings; complete.
 * should be: assertion fails: (x == 0 && y == 0) || (x == 1 && y == -1), with x 1 and y 0. Also with one setter in place
 * of four.
 * Found at -O0: assert(x == -y), assert(x == 0 || y == -1), assert(!(x == 1 && y != -1)). So the condition of two &&
 * under an || is not expressed at -O0 (x and y loaded twice each).
 * GIVEN BACK h20: not begun, free to take */

#include "lucky.h"

static _Atomic int A_, B_;
MX(m);
T(setter)
{
	F(L(m);) atomic_store(&A_, 1);
	atomic_store(&B_, -1);
	F(U(m);) return 0;
}
T(checker)
{
	F(L(m);) int x = atomic_load(&A_), y = atomic_load(&B_);
	F(U(m);)
	assert((x == 0 && y == 0) || (x == 1 && y == -1)); /* @ */
	return 0;
}
int main(void)
{
	pthread_t t[5];
	for (int i = 0; i < 4; i++) {
		GO(t[i], setter, 0);
		nap(5);
	}
	GO(t[4], checker, 0);
	for (int i = 0; i < 5; i++)
		WAIT(t[i]);
	return 0;
}
