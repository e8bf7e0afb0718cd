/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion payload == 42 predicted at published.c:\d+ two assert by main/2
 * silent: -DRIGHT
 */
/* The flag is set before what it announces. */
#include <assert.h>
#include <stdatomic.h>

#include "../sliced/cast.h"

static int payload;
static atomic_int flag;

static void *one(void *unused)
{
	gate('a');
#ifndef RIGHT
	atomic_store(&flag, 1);
#endif
	payload = 42;
#ifdef RIGHT
	atomic_store(&flag, 1);
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	if (atomic_load(&flag))
		assert(payload == 42);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
