/* norn-test
 * errors: yes
 * schedule: ab
 * prop: torn_function.prop
 * cc: -O0
 * cc: -O1
 * finding: ^atomicity balance (predicted|observed) at torn_function.c:\d+ withdraw read by main/1, torn_function.c:\d+ deposit write by main/2, torn_function.c:\d+ withdraw write by main/1
 * silent: -O1 -DRIGHT
 */
/* A function that a property calls atomic. */
#include <stdatomic.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
atomic_int balance = 100;

__attribute__((noinline)) static void withdraw(int amount)
{
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	int old = balance;
	balance = old - amount;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
}

__attribute__((noinline)) static void deposit(int amount)
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
