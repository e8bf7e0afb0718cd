/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion balance == 120 predicted at account.c:\d+ main assert by main
 * fix: ^race balance: hold lock \(which is taken at account.c:\d+\) at account.c:\d+ \(withdraw\)$
 * silent: -DRIGHT
 */
/* A deposit under the lock, a withdrawal without it. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void deposit(void)
{
	pthread_mutex_lock(&lock);
	balance += 50;
	pthread_mutex_unlock(&lock);
}

static void withdraw(void)
{
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	balance -= 30;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
}

static void *one(void *unused)
{
	gate('a');
	deposit();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	withdraw();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	assert(balance == 120);
	return 0;
}
