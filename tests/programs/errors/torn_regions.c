/* norn-test
 * errors: yes
 * schedule: ba
 * finding: ^atomicity balance predicted at torn_regions.c:\d+ withdraw read by main/1, torn_regions.c:\d+ deposit write by main/2, torn_regions.c:\d+ withdraw write by main/1
 * finding-count: 1
 * silent: -DRIGHT
 * silent: -DLOOKS
 */
/* Every access is locked, but the block gives up the lock in between. The other thread's region came before both of the block's: to break it, regions must
 * change places. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance = 100, opened;

static void withdraw(int amount)
{
	norn_atomic_begin("withdraw");
	pthread_mutex_lock(&lock);
#ifdef LOOKS
	if (!opened) {
		pthread_mutex_unlock(&lock);
		norn_atomic_end();
		return;
	}
#endif
	int old = balance;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	balance = old - amount;
	pthread_mutex_unlock(&lock);
	norn_atomic_end();
}

static void deposit(int amount)
{
	pthread_mutex_lock(&lock);
	balance = amount;
	opened = 1;
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
