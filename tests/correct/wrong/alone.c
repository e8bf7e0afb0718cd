/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * check: --model $SRC/../settle.model
 * cc: -DCASE=0 settle.o
 * cc: -DCASE=1 settle.o
 * cc: -DCASE=2 settle.o
 * cc: -DCASE=3 settle.o
 * cc: -DCASE=4 settle.o
 * finding: ^assertion .* predicted at alone.c
 * silent: -DCASE=0 -DFIXED settle.o
 * silent: -DCASE=1 -DFIXED settle.o
 * silent: -DCASE=2 -DFIXED settle.o
 * silent: -DCASE=3 -DFIXED settle.o
 * silent: -DCASE=4 -DFIXED settle.o
 * silent: -DCASE=5 settle.o
 * silent: -DCASE=6 settle.o
 */
/* "Am I alone?", by the result of a read-modify-write: added, exchanged, returned by a function; and a count that is given back if it
 * was too much, which the other thread decides only after it has counted (V1). Results that no schedule changes (5, 6) are silent. */
#include "../settle.h"
#include "open/lucky.h"

MX(m);
static atomic_int owner;

__attribute__((noinline)) static int enter(void)
{
	return atomic_fetch_add(&owner, 1);
}

T(w)
{
	F(L(m);)
#if CASE == 0
	if (atomic_fetch_add(&owner, 1))
		abort();
	atomic_fetch_sub(&owner, 1);
#elif CASE == 1
	assert(atomic_fetch_add(&owner, 1) == 0);
	atomic_fetch_sub(&owner, 1);
#elif CASE == 2
	if (atomic_exchange(&owner, 1) != 0)
		abort();
	atomic_store(&owner, 0);
#elif CASE == 3
	if (atomic_fetch_add(&owner, 1) >= 1) {
		atomic_fetch_sub(&owner, 1);
		F(U(m);)
		return 0;
	}
	assert(atomic_load(&owner) <= 1);
	atomic_fetch_sub(&owner, 1);
#elif CASE == 4
	int before = atomic_fetch_or(&owner, 4) & 4;
	assert(!before);
	atomic_fetch_and(&owner, ~4);
#elif CASE == 5
	assert(atomic_fetch_add(&owner, 2) % 2 == 0);
	atomic_fetch_sub(&owner, 2);
#elif CASE == 6
	assert(atomic_fetch_add(&owner, 1) >= 0);
#endif
	F(U(m);)
	(void)enter;
	return 0;
}

int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	settle();
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
