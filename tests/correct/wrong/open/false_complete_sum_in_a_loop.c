/* norn cc -g -O1 -pthread false_complete_sum_in_a_loop.c -o w && norn run ./w      (-O0, -O1: 10 of 10 recordings; at
 * -O2, where the loop is unrolled: found 5 of 5)
 * reported: 0 findings; complete.
 * should be: assertion fails: s[0] + s[1] + s[2] + s[3] == 400 (a transfer of two regions; the total takes the four
 * locks one after the other). One changed load would do.
 * cause (guess): the operands come by way of a local array that a loop fills. Likewise with more than four (srv_bank8:
 * sum of 8 balances, 6 tellers, `if (s != 800) abort()`): 0 findings, complete, all levels:
 * section 15 says 4 loads; then an assertion with more should make the verdict partial. */

#include "lucky.h"

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
	nap(30);
	GO(t[3], total, 0);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	return 0;
}
