/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 * cc: -DSTOCK=7 -DLEAST=6
 * cc: -DSTOCK=5 -DLEAST=2
 * twin: -DSTOCK=5 -DLEAST=8
 * twin: -DSTOCK=7 -DLEAST=8
 */
/* A branch that compares what two reads saw (9 and 6) comes out the same if one sees something else, or both do (V8); otherwise
 * by these values, or though it would by one of them alone. */
#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y, stock = STOCK, least = LEAST;

__attribute__((noinline)) static void take(void)
{
	y = 1;
}

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	int left = stock, enough = least;
	pthread_mutex_unlock(&lock);
	if (left >= enough)
		take();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	pthread_mutex_lock(&lock);
	stock = 9;
	least = 6;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
