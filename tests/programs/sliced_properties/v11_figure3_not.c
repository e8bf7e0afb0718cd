/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * schedule: 12
 * no-finding: yes
 * repeat: 3
 */
/* Figure 3 (A), but what comes after depends on which of both was written. */
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
		y = 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	if (x)
		z = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
