/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^assertion balance == \(x \+ y\) - z predicted
 * silent: -DRIGHT
 */
/* A deposit under the lock, a withdrawal without it, and somebody who looks when both are done (SCTBench, account). */
#include "twin.h"

static int x, y, z, balance, deposited, withdrawn;

static void *deposit(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	balance = balance + y;
	deposited = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *withdraw(void *unused)
{
	gate('b');
	lock_if(IS_RIGHT);
	balance = balance - z;
	lock_if(!IS_RIGHT);
	withdrawn = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *look(void *unused)
{
	gate('c');
	pthread_mutex_lock(&lock);
	if (deposited && withdrawn)
		assert(balance == (x + y) - z);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	x = balance = 9 + argc;
	y = 1 + argc;
	z = 2 + argc;
	if (argc < 2 || play(argv, deposit, withdraw, look))
		return 2;
	return 0;
}
