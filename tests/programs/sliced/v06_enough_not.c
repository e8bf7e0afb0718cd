/* norn-test
 * errors: yes
 * schedule: 21
 * never-finding: ^race y\b
 */
/* A race on y is not possible: by the other value the first thread decides otherwise (V6). */
#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y;
int stock = 1;

static void *one(void *unused)
{
	gate('1');
	if (stock >= 2) {
		pthread_mutex_lock(&lock);
		y = 1;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	stock = 3;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
