/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * cc: -DUP
 * cc: -O0 -DDOWN
 * cc: -O1 -DDOWN
 * cc: -DUNTIL
 * cc: -DSTEPS
 * cc: -DWIDE
 * schedule: 12
 * finding: ^property chosen_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 */
/* Figure 3 (B): the loop counts, and so it ends whatever its bound is (V11). */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int i, y, z;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	i = 4;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	int r = i;
#if defined(UP)
	for (int k = 0; k < r; k++)
#elif defined(DOWN)
	for (int k = r; k > 0; k--)
#elif defined(UNTIL)
	for (unsigned k = 0; k != (unsigned)r; k++)
#elif defined(STEPS)
	for (int k = 0; k <= r; k += 3)
#else
	for (long k = 0; k < r; k++)
#endif
		y = r;
	z = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
