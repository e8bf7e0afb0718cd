/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^assertion b->count < 4 predicted at bounded.c:\d+ put
 * silent: -DRIGHT
 */
/* Whether there is room is asked before the lock is taken. */
#include "twin.h"

struct buffer {
	int items[4];
	int count;
};
static struct buffer *b;

static void put(int v)
{
	lock_if(IS_RIGHT);
	if (b->count < 4) {
		lock_if(!IS_RIGHT);
		assert(b->count < 4);
		b->items[b->count++] = v;
		unlock_if(!IS_RIGHT);
	}
	unlock_if(IS_RIGHT);
}

static int take(void)
{
	int v = -1;
	pthread_mutex_lock(&lock);
	if (b->count > 0)
		v = b->items[--b->count];
	pthread_mutex_unlock(&lock);
	return v;
}

static void *one(void *unused)
{
	gate('a');
	put(1);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	take();
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('c');
	put(2);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	b = calloc(1, sizeof *b);
	b->count = 3;
	if (argc < 2 || play(argv, one, two, three))
		return 2;
	return 0;
}
