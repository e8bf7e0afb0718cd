/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion left \+ right == 100 predicted at transfer.c:\d+ two assert by main/2
 * fix: ^assertion left \+ right == 100: hold lock \(which is taken at transfer.c:\d+\) at transfer.c:\d+ to \d+ \(one\), without giving it up at line \d+$
 * silent: -DRIGHT
 */
/* The sum is looked at between the two halves of a transfer. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 50, right = 50;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	left -= 10;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	right += 10;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	assert(left + right == 100);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
