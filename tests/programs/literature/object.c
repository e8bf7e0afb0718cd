/* norn-test
 * errors: yes
 * schedule: abcd
 * finding: ^assertion o->refs > 0 predicted at object.c:\d+ get
 * silent: -DRIGHT
 * unjudged: -DRIGHT
 */
/* A reference is taken to what was looked up without the lock. */
#include "twin.h"

struct object {
	int refs, value;
};
static struct object *shared;
static struct object *get(void)
{
	struct object *o;
	lock_if(IS_RIGHT);
	o = shared;
	if (o) {
		lock_if(!IS_RIGHT);
		assert(o->refs > 0);
		o->refs++;
		unlock_if(!IS_RIGHT);
	}
	unlock_if(IS_RIGHT);
	return o;
}

static void put(struct object *o, int drop)
{
	pthread_mutex_lock(&lock);
	if (drop)
		shared = NULL;
	int left = --o->refs;
	pthread_mutex_unlock(&lock);
	if (left == 0)
		free(o);
}

static void *one(void *unused)
{
	gate('a');
	struct object *o = get();
	if (o)
		put(o, 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	put(shared, 1);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	shared = calloc(1, sizeof *shared);
	shared->refs = 1;
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
