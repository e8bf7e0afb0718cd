/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^atomicity balance (predicted|observed) at torn.c:\d+ withdraw read by main/1, torn.c:\d+ deposit (write|rmw) by main/2, torn.c:\d+ withdraw write by main/1
 * silent: -DRIGHT
 */
/* A block that is meant to be atomic, but takes no lock. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int balance = 100;

static void withdraw(int amount)
{
	norn_atomic_begin("withdraw");
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	int old = balance;
	balance = old - amount;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	norn_atomic_end();
}

static void deposit(int amount)
{
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	balance = amount;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
}

static void *one(void *unused)
{
	gate('a');
	withdraw(10);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	deposit(5);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	(void)&lock;
	return argc < 2 || play(argv, one, two, NULL);
}
