/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * check: --model $SRC/../settle.model
 * cc: -O0 settle.o
 * cc: -O1 settle.o
 * check-exit: 3
 * finding-count: 0
 * note: a failing assertion may be missing
 */
/* A transfer of two regions, and a total that takes the four locks one after the other: the operands of the assertion come by way of a local array
 * that a loop fills, which cannot be evaluated: the verdict must not be complete. (At -O2, where the loop is unrolled, it is predicted.) */

#include "../settle.h"
#include "open/lucky.h"

/* 6 threads, 8 accounts, sums per branch; total is taken under each lock in turn while transfers go on */
#define NA 4
static pthread_mutex_t lk[NA];
static int bal[NA];
T(tr)
{
	int f = (int)(intptr_t)a;
	L(lk[f]);
	bal[f] -= 10;
	U(lk[f]);
	int t = (f + 1) % NA;
	L(lk[t]);
	bal[t] += 10;
	U(lk[t]);
	return 0;
}
T(total)
{
	int s[NA];
	F(for (int i = 0; i < NA; i++) L(lk[i]);) for (int i = 0; i < NA; i++)
	{
		W(L(lk[i]);) s[i] = bal[i];
		W(U(lk[i]);)
	}
	F(for (int i = 0; i < NA; i++) U(lk[i]);)
	W(assert(s[0] + s[1] + s[2] + s[3] == 400);) /* @ */
	F((void)s;) return 0;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < NA; i++) {
		pthread_mutex_init(&lk[i], 0);
		bal[i] = 100;
	}
	for (int i = 0; i < 3; i++) {
		GO(t[i], tr, i);
	}
	settle();
	GO(t[3], total, 0);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	return 0;
}
