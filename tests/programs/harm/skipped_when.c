/* norn-test
 * errors: yes
 * schedule: ab
 * cc: '-DHOLDS=state>2' -DSTART=5 -DOTHER=0
 * cc: '-DHOLDS=2<state' -DSTART=5 -DOTHER=0
 * cc: '-DHOLDS=state>=3' -DSTART=5 -DOTHER=0
 * cc: '-DHOLDS=3<=state' -DSTART=5 -DOTHER=0
 * cc: '-DHOLDS=state<2' -DSTART=0 -DOTHER=5
 * cc: '-DHOLDS=2>state' -DSTART=0 -DOTHER=5
 * cc: '-DHOLDS=!state' -DSTART=0 -DOTHER=1
 * cc: '-DHOLDS=state' -DSTART=1 -DOTHER=0
 * finding: ^assertion written == 1 predicted at skipped_when.c:\d+ main
 * silent: '-DHOLDS=state>2' -DSTART=5 -DOTHER=7
 * silent: '-DHOLDS=2<state' -DSTART=5 -DOTHER=7
 * silent: '-DHOLDS=state>=3' -DSTART=5 -DOTHER=7
 * silent: '-DHOLDS=state<2' -DSTART=0 -DOTHER=1
 * silent: '-DHOLDS=2>state' -DSTART=0 -DOTHER=1
 * silent: '-DHOLDS=state' -DSTART=1 -DOTHER=2
 */
/* What skips the write by each comparison, whichever way round the pass tells it (V11); silent: the other state decides the same. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state = START;
int written;

static void *flip(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	state = OTHER;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	state = START;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *look(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	if (HOLDS)
		written = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, look, flip, NULL))
		return 2;
	assert(written == 1);
	return 0;
}
