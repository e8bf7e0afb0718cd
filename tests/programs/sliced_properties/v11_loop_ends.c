/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * finding: ^property chosen_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 * silent: -DNOT
 */
/* The program says that the loop ends (V11). NOT: the program does not say that the loop ends. */
#ifndef NOT
#include <norn.h>

#endif
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef NOT
int i, y, z;
#else
int i = 2, y, z;
#endif

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
#ifndef NOT
		NORN_LOOP_ENDS();
#endif
		y = r;
		r = r % 2 ? 3 * r + 1 : r / 2;
#ifndef NOT
		if (r <= 0)
			r = 1;
#endif
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
