/* norn-test
 * errors: yes
 * schedule: 102
 * finding: ^race p\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: there is no second thread unless p = 1 was seen. */
#include "cast.h"

int p, y;

static void *one(void *unused)
{
	gate('1');
	y = 1;
	p = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t first, second;
	if (argc < 2)
		return 1;
	gate_open(argv[1]);
	pthread_create(&first, NULL, one, NULL);
	gate('0');
	int seen = p;
	if (seen == 1)
		pthread_create(&second, NULL, two, NULL);
	gate_leave();
	pthread_join(first, NULL);
	if (seen == 1)
		pthread_join(second, NULL);
	return 0;
}
