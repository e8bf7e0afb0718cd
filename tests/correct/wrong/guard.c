/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * check: --model $SRC/../settle.model
 * cc: -DGUARD=0 settle.o
 * cc: -DGUARD=1 settle.o
 * cc: -DGUARD=2 settle.o
 * cc: -DGUARD=3 settle.o
 * cc: -DGUARD=0 -DPOINTER settle.o
 * cc: -DGUARD=1 -DPOINTER settle.o
 * cc: -DGUARD=2 -DPOINTER settle.o
 * cc: -DGUARD=3 -DPOINTER settle.o
 * finding: ^(assertion|null-dereference) .* predicted at guard.c
 * silent: -DGUARD=0 -DFIXED settle.o
 * silent: -DGUARD=1 -DFIXED settle.o
 * silent: -DGUARD=2 -DFIXED settle.o
 * silent: -DGUARD=3 -DFIXED settle.o
 * silent: -DGUARD=0 -DPOINTER -DFIXED settle.o
 * silent: -DGUARD=1 -DPOINTER -DFIXED settle.o
 * silent: -DGUARD=2 -DPOINTER -DFIXED settle.o
 * silent: -DGUARD=3 -DPOINTER -DFIXED settle.o
 */
/* A guard that is looked at in one region and set in the next: another thread comes in between where it sees what memory began with (V2),
 * in a variable, an array, a struct, a block of calloc. */
#include "../settle.h"
#include "open/lucky.h"

MX(m);
__attribute__((unused)) static struct guards {
	int other, word;
} in_struct;
__attribute__((unused)) static int in_array[4], alone;
__attribute__((unused)) static _Alignas(64) int owner;
__attribute__((unused)) static int cell, *ptr = &cell;

T(w)
{
#if GUARD == 0
	int *guard = &alone;
	(void)a;
#elif GUARD == 1
	int *guard = &in_array[1];
	(void)a;
#elif GUARD == 2
	int *guard = &in_struct.word;
	(void)a;
#else
	int *guard = (int *)a + 2;
#endif
	L(m);
	int u = *guard;
	W(U(m);)
	if (!u) {
		W(L(m);)
		*guard = 1;
		W(U(m);)
#ifdef POINTER
		W(L(m);)
		int *p = ptr;
		*p = 3;
		W(U(m); L(m);)
		ptr = 0;
		W(U(m); L(m);)
		ptr = &cell;
#else
		W(L(m);)
		if (owner)
			abort();
		owner = 1;
		W(U(m); L(m);)
		owner = 0;
#endif
		W(U(m); L(m);)
		*guard = 0;
		W(U(m);)
	}
	F(U(m);)
	return 0;
}

int main(void)
{
	pthread_t a, b;
	int *block = calloc(4, sizeof *block);
	GO(a, w, block);
	settle();
	GO(b, w, block);
	WAIT(a);
	WAIT(b);
	free(block);
	return 0;
}
