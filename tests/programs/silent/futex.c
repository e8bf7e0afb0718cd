/* norn-test
 * silent: -DLOCK
 * silent: -DHAND_OVER
 */
/* Futexes by syscall() (X12): a lock made of one, and a hand-over whose waiter believes the wake-up alone. */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crew.h"

static atomic_int word;
static int counter;

static void wait_while(int value)
{
	syscall(SYS_futex, &word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void wake(int count)
{
	syscall(SYS_futex, &word, FUTEX_WAKE, count, NULL, NULL, 0);
}

#ifdef LOCK
static void lock(void)
{
	int state = 0;
	if (atomic_compare_exchange_strong(&word, &state, 1))
		return;
	if (state != 2)
		state = atomic_exchange(&word, 2);
	while (state) {
		wait_while(2);
		state = atomic_exchange(&word, 2);
	}
}

static void unlock(void)
{
	if (atomic_fetch_sub(&word, 1) != 1) {
		word = 0;
		wake(1);
	}
}

static void *work(void *argument)
{
	(void)argument;
	for (int i = 0; i < 5; i++) {
		lock();
		counter++;
		unlock();
	}
	return NULL;
}
#else
static void *work(void *argument)
{
	if (number_of(argument) == 0) {
		counter = 1;
		word = 1;
		wake(1);
	} else {
		while (!word)
			wait_while(0);
		counter = 2;
	}
	return NULL;
}
#endif

int main(void)
{
	crew(2, work);
	return counter == 0;
}
