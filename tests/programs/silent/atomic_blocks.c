/* norn-test
 * silent: -DLOCKED
 * silent: -DREADERS
 * silent: -DPRIVATE
 * silent: -DOUTSIDE
 */
/* Blocks that are meant to be atomic, and are: under the lock; because others only read once; because nobody else has the variable;
 * because the others come before or after. */
#include <norn.h>

#include "crew.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, seen[3];

static void *work(void *argument)
{
	int me = number_of(argument);
#if defined(LOCKED)
	norn_atomic_begin("transfer");
	pthread_mutex_lock(&lock);
	int old = balance;
	balance = old + 1;
	pthread_mutex_unlock(&lock);
	norn_atomic_end();
	seen[me] = old;
#elif defined(READERS)
	pthread_mutex_lock(&lock);
	norn_atomic_begin("look");
	seen[me] = balance + balance;
	norn_atomic_end();
	pthread_mutex_unlock(&lock);
#elif defined(PRIVATE)
	norn_atomic_begin("own");
	seen[me] = me;
	seen[me]++;
	norn_atomic_end();
#else
	pthread_mutex_lock(&lock);
	if (me == 0) {
		norn_atomic_begin("pay");
		int old = balance;
		balance = old - 1;
		norn_atomic_end();
	} else {
		balance += 5;
	}
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	crew(3, work);
	return balance >= 99 ? 0 : 1;
}
