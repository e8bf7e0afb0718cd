/* norn-test
 * errors: yes
 * schedule: 312
 * finding: ^race y\b
 * twin: -DNOT
 */
/* Without the third thread's write the first counts from another value, and the second decides the same (V7). NOT: without the
 * third thread's write what the first leaves makes the second decide otherwise (V7): no race on y. */
#include "cast.h"

#include <stdatomic.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y;
_Atomic int count;

static void *one(void *unused)
{
	gate('1');
	atomic_fetch_add(&count, 2);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
#ifndef NOT
	if (count != 0) {
#else
	if (count == 3) {
#endif
		pthread_mutex_lock(&lock);
		y = 2;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	y = 3;
	count = 1;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
