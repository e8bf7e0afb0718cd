/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * no-finding: yes
 * repeat: 3
 */
/* Figure 3 (B): the loop ends only when another thread lets it. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int i, y, z;

static void *one(void *unused)
{
	gate('1');
	gate_until_free(&lock);
	pthread_mutex_lock(&lock);
	i = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	for (int r = 0; r == 0;) {
		pthread_mutex_lock(&lock);
		r = i;
		y = r;
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	z = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
