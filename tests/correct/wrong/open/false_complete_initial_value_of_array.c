/* norn cc -g -O1 -pthread false_complete_initial_value_of_array.c -o w && norn run ./w      (every recording)
 * reported: 0 findings; complete.
 * should be: assertion fails: abort() (owner is 1): both threads read used[0] == 0 before either sets it. With `static
 * int used[1]` or `static int used` in place of `static int used[4]` it is predicted.
 * Only used[0] is ever accessed.
 * cause (guess): the initial value of static memory (V2) is taken only if the access is as large as the object; elements
 * of larger arrays and fields of structs have none. (See also bluetooth_assertion.)
 * Confirmed: with a constructor that stores used[0] = 0 (a write of the same value) it is predicted; a struct's field
 * (`static struct { int a, b; } used`) behaves as the array. The race search is not
 * affected (x++ in place of the assertion: race found for scalar, array and struct): only assertions (null pointers? not
 * tried).
 * Matrix (-O0 and -O1 alike; a guard word that is 0 from the start, set to 1, and back to 0; then an assertion, or a
 * null pointer, in the guarded part):
 *   guard word is            assertion     null dereference
 *   static int               found         MISSED, complete      (false_complete_initial_value_null.c)
 *   static int[4], struct    MISSED, complete   MISSED, complete
 *   calloc'ed struct         MISSED, complete   MISSED, complete
 *   malloc'ed, stored 0      found         found
 *   struct on main's stack, stored 0       found    found
 * So: memory's initial value (static or calloc) does not serve a fixed read in the searches for assertions and null
 * pointers, though V2 of section 15 says it does. */

#include "lucky.h"

MX(m);
static int used[4];
static atomic_int owner;
T(w)
{
	int i = 0;
	{
		L(m);
		int u = used[0];
		U(m);
		if (!u) {
			L(m);
			used[0] = 1;
			U(m);
			if (atomic_load(&owner))
				abort();
			atomic_fetch_add(&owner, 1);
			atomic_fetch_sub(&owner, 1);
			L(m);
			used[0] = 0;
			U(m);
		}
	}
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	nap(20);
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
