/* norn-test
 * prop: figure2.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * finding: ^property e1_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 */
/* Figure 2 across functions: the choice is made in one, and what follows it stands in another (V11). */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int s, in, out;

__attribute__((noinline)) static void look(void)
{
	if (s == 1)
		in = 1;
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
	look();
	finish();
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
