/* norn-test
 * prop: started.prop
 * check: --only-props
 * errors: yes
 * schedule: 213
 * no-finding: yes
 * repeat: 3
 */
/* What is written to state is what was read: without the request it is no start. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int request, noted, state;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	noted = request;
	state = noted;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	request = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	pthread_mutex_lock(&lock);
	int r = noted;
	pthread_mutex_unlock(&lock);
	if (r == 1)
		norn_event("C", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
