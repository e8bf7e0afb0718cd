/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * finding: ^property chosen_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 */
/* The program says that the loop ends (V11). */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int i, y, z;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	i = 5;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	int r = i;
	while (r != 1) {
		NORN_LOOP_ENDS();
		y = r;
		r = r % 2 ? 3 * r + 1 : r / 2;
		if (r <= 0)
			r = 1;
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
