/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion total == 9 predicted at sum_up.c:\d+ main
 * silent: -DRIGHT
 */
/* Prices are added to a total that was read in a region before. */
#include "twin.h"

struct item {
	int price, weight;
};
static struct item items[2];
static int total;

static void add(int i)
{
	pthread_mutex_lock(&lock);
	int before = total;
	gap();
	total = before + items[i].price;
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	gate('a');
	add(0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	add(1);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	items[0].price = argc + 1;
	items[1].price = argc + 4;
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	assert(total == 9);
	return 0;
}
