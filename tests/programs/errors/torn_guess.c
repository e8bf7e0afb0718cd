/* norn-test
 * errors: yes
 * schedule: ba
 * check: --infer-atomicity
 * finding: ^atomicity balance predicted at torn_guess.c:\d+ withdraw read by main/1, torn_guess.c:\d+ deposit write by main/2, torn_guess.c:\d+ withdraw write by main/1
 * finding-count: 1
 * silent: -DRIGHT
 */
/* Nothing says that the two regions belong together; it is guessed, because the option asks for it. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

static void withdraw(int amount)
{
	pthread_mutex_lock(&lock);
	int old = balance;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	balance = old - amount;
	pthread_mutex_unlock(&lock);
}

static void deposit(int amount)
{
	pthread_mutex_lock(&lock);
	balance = amount;
	pthread_mutex_unlock(&lock);
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
	deposit(50);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL) || balance != 40;
}
