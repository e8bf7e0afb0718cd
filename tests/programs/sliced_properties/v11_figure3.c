/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * finding: ^property chosen_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 */
/* Figure 3 (A): one of x and y is written, z in any case (V11). */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int i, x, y, z;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	i = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	if (i)
		x = 1;
	else
		y += 2;
	z = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
