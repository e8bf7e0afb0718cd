/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
#include <sys/syscall.h>
#include <linux/futex.h>
static atomic_int f;
static int d;
static void lk(void)
{
	int c = 0;
	if (!atomic_compare_exchange_strong(&f, &c, 1)) {
		if (c != 2)
			c = atomic_exchange(&f, 2);
		while (c) {
			syscall(SYS_futex, &f, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
			c = atomic_exchange(&f, 2);
		}
	}
}
static void ul(void)
{
	if (atomic_fetch_sub(&f, 1) != 1) {
		atomic_store(&f, 0);
		syscall(SYS_futex, &f, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	}
}
T(w)
{
	for (int i = 0; i < 3; i++) {
		lk();
		d++;
		J();
		ul();
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return d != 9;
}
