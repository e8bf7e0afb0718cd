/* norn-test
 * prop: figure2.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * finding: ^property e1_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 */
/* Figure 2: the write of out does not depend on s (V11). */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int s, in, out;

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
	if (s == 1)
		in = 1;
	out = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
