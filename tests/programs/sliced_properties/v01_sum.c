/* norn-test
 * prop: a_first.prop
 * check: --only-props
 * errors: yes
 * schedule: 21
 * finding: ^property a_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 * silent: -DNOT
 */
/* Only main looks at the sum, when all is over (V1). NOT: what the thread adds decides whether B comes. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int price, sum;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	int r = price;
	sum += r * r;
	pthread_mutex_unlock(&lock);
#ifndef NOT
	norn_event("B", 0);
#else
	if (r > 0)
		norn_event("B", 0);
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	norn_event("A", 0);
	pthread_mutex_lock(&lock);
	price = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL) != 0)
		return 1;
	if (sum == 9)
		norn_event("C", 0);
	return 0;
}
