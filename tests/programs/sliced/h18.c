/* norn-test
 * errors: yes
 * schedule: 210
 * finding: ^race z\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: the joined thread waits for z. */
#include "cast.h"

volatile int z;
int y;

static void *one(void *unused)
{
	gate('1');
	while (!z)
		;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	z = 1;
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
	pthread_create(&second, NULL, two, NULL);
	pthread_join(first, NULL);
	gate('0');
	y = 1;
	gate_leave();
	pthread_join(second, NULL);
	return 0;
}
