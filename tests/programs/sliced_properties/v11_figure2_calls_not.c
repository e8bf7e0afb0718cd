/* norn-test
 * prop: figure2.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * no-finding: yes
 * repeat: 3
 */
/* Across functions: the result of the choice decides in the caller. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int s, in, out;

__attribute__((noinline)) static int look(void)
{
	if (s != 1)
		return 0;
	in = 1;
	return 1;
}

__attribute__((noinline)) static void finish(void)
{
	out = 1;
}

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	s = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	if (look())
		finish();
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
