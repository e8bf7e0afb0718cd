/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * finding: ^property chosen_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 */
/* Figure 3 (B): the loop counts, and is said to end, as the paper's are by annotations (V11). */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int i, y, z;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	i = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	int r = i;
	for (int k = 0; k < r; k++) {
		NORN_LOOP_ENDS();
		y = k;
	}
	z = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
