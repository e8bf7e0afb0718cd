/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion sold == 2 predicted at seats.c:\d+ main assert by main
 * silent: -DRIGHT
 */
/* Seats are counted by two atomic steps: no race, but one may be lost. */
#include <assert.h>
#include <stdatomic.h>

#include "../sliced/cast.h"

static atomic_int sold;

static void sell(void)
{
#ifdef RIGHT
	atomic_fetch_add(&sold, 1);
#else
	int now = atomic_load(&sold);
	atomic_store(&sold, now + 1);
#endif
}

static void *one(void *unused)
{
	gate('a');
	sell();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	sell();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	assert(sold == 2);
	return 0;
}
