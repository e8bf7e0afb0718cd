/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^assertion balance == 100 \+ 50 - 30 predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a withdrawal without the lock of the deposits */
#include "alone.h"
MUTEX(m);
static int balance = 100;
static int deposits, withdrawals;
T(deposit)
{
	L(m);
	balance += (int)(intptr_t)a;
	deposits++;
	U(m);
	return 0;
}
T(withdraw)
{
#ifdef FIXED
	L(m);
#endif
	int b = balance;
	balance = b - (int)(intptr_t)a;
#ifdef FIXED
	U(m);
#endif
	L(m);
	withdrawals++;
	U(m);
	return 0;
}
T(check)
{
	L(m);
	if (deposits == 1 && withdrawals == 1)
		assert(balance == 100 + 50 - 30);
	U(m);
	return 0;
}
int main(void)
{
	pthread_t t1, t2, t3;
	GO(t1, deposit, 50);
	settle();
	GO(t2, withdraw, 30);
	settle();
	GO(t3, check, 0);
	WAIT(t1);
	WAIT(t2);
	WAIT(t3);
	return 0;
}
