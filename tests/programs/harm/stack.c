/* norn-test
 * errors: yes
 * schedule: abcd
 * finding: ^assertion top > 0 predicted at stack.c:\d+ pop assert by main/[23]
 * silent: -DRIGHT
 */
/* Whether there is something to pop is asked under the lock, and forgotten. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int top, items[4];

static void push(void)
{
	pthread_mutex_lock(&lock);
	items[top] = 5;
	top = top + 1;
	pthread_mutex_unlock(&lock);
}

static void pop(void)
{
	pthread_mutex_lock(&lock);
	int size = top;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	if (size > 0) {
#ifndef RIGHT
		pthread_mutex_lock(&lock);
#endif
		assert(top > 0);
		top = top - 1;
#ifndef RIGHT
		pthread_mutex_unlock(&lock);
#endif
	}
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
}

static void *one(void *unused)
{
	gate('a');
	push();
	gate('c');
	push();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pop();
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('d');
	pop();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, three))
		return 2;
	return 0;
}
