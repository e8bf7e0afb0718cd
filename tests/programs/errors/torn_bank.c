/* norn-test
 * errors: yes
 * build: $CC -O1 -g -pthread -DSHOWN -I $SRC/../../causality -c $SRC/torn_bank.c -o shown.o && clang-19 -c $SRC/../../causality/gate.c -o gate-shown.o && $CC -pthread shown.o gate-shown.o -o shown && { ./shown acbd && false || test $? = 7; }
 * schedule: ab
 * finding: ^atomicity checking, saving predicted at torn_bank.c:\d+ 
 * finding-count: 1
 * silent: -DRIGHT
 */
/* The bank of the DAME paper: one thread transfers, the other adds up. Each access is under the lock of its account. They are recorded one after the other. With RIGHT each holds one
 * lock from its first access to its last. */
#include "torn.h"

static pthread_mutex_t checking_lock = PTHREAD_MUTEX_INITIALIZER, saving_lock = PTHREAD_MUTEX_INITIALIZER;
int checking = 1000, saving = 1000;
static int sum;

static void transfer(int amount)
{
	norn_atomic_begin("transfer");
#ifdef RIGHT
	pthread_mutex_lock(&saving_lock);
#endif
	pthread_mutex_lock(&checking_lock);
	checking -= amount;
	pthread_mutex_unlock(&checking_lock);
	STEP('b');
#ifndef RIGHT
	pthread_mutex_lock(&saving_lock);
#endif
	saving += amount;
	pthread_mutex_unlock(&saving_lock);
	norn_atomic_end();
}

static void add_up(void)
{
	norn_atomic_begin("add_up");
#ifdef RIGHT
	pthread_mutex_lock(&saving_lock);
#endif
	pthread_mutex_lock(&checking_lock);
	int first = checking;
	pthread_mutex_unlock(&checking_lock);
#ifndef RIGHT
	pthread_mutex_lock(&saving_lock);
#endif
	sum = first + saving;
	pthread_mutex_unlock(&saving_lock);
	norn_atomic_end();
}

static int is_torn(void)
{
	return sum != 2000;
}

static void *one(void *unused)
{
	gate('a');
	transfer(10);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
#ifdef SHOWN
	gate('c');
#else
	gate('b');
#endif
	add_up();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 1;
	return is_torn() ? TORN : 0;
}
