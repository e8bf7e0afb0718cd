/* Not a miss: time. norn cc -g -O0 -pthread slow_fixes_of_one_finding.c -o w && norn run ./w
 * A bounded buffer (2 producers, 2 consumers, 20 items each, one condition waited for under `if`): 850 to 1,000 events,
 * one finding (right): about 3.1 s of processor time with --no-fixes, 20 times as much with
 * fixes (80 s of a loaded machine; 8 of them here for N = 4 and 227 events: 0.6 s without, 1.8 s with). Nothing proposed
 * came of it. Without any finding it takes 3 s, too. --effort 30 --no-fixes: 0.1 s, --effort 0: 4 ms,
 * with the same finding. Where: "55 searches for other orders of locked regions were given up", "2 acquires were not
 * followed to the circles of waiting threads".
 * The tries of fixes should share one bound of work with the search (say: as much as the search took), or be fewer where
 * one try takes seconds. */

#include "lucky.h"

#define N 20
MX(m);
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int num, taken;
static long total;
T(prod)
{
	for (int i = 1; i <= N; i++) {
		L(m);
		while (num > 0)
			pthread_cond_wait(&empty, &m);
		num++;
		F(pthread_cond_broadcast) W(pthread_cond_signal)(&full);
		U(m);
	}
	return 0;
}
T(cons)
{
	for (int i = 1; i <= N; i++) {
		L(m);
		F(while) W(if)(num == 0) pthread_cond_wait(&full, &m);
		assert(num > 0); /* @ */
		num--;
		total++;
		pthread_cond_broadcast(&empty);
		U(m);
	}
	return 0;
}
int main(void)
{
	pthread_t p1, p2, c1, c2;
	GO(c1, cons, 0);
	nap(5);
	GO(p1, prod, 0);
	nap(20);
	GO(p2, prod, 0);
	nap(5);
	GO(c2, cons, 0);
	WAIT(p1);
	WAIT(p2);
	WAIT(c1);
	WAIT(c2);
	return (int)(total != 2 * N);
}
