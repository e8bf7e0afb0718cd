/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * no-finding: yes
 * repeat: 3
 */
/* The program does not say that the loop ends. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int i = 2, y, z;

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
		y = r;
		r = r % 2 ? 3 * r + 1 : r / 2;
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
