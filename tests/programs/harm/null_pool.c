/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference connections\[\] predicted at null_pool.c:\d+ acquire
 * silent: -DRIGHT
 */
/* How many connections there are is asked in one region, the connection taken in another. */
#include "../literature/twin.h"

struct connection {
	int fd, uses;
};
static struct connection *connections[4];
static int count;
static struct connection *acquire(void)
{
	struct connection *c = NULL;
	pthread_mutex_lock(&lock);
	int n = count;
	unlock_if(!IS_RIGHT);
	if (n > 0) {
		lock_if(!IS_RIGHT);
		c = connections[n - 1];
		unlock_if(!IS_RIGHT);
		c->uses++;
	}
	unlock_if(IS_RIGHT);
	return c;
}

static void drop(void)
{
	pthread_mutex_lock(&lock);
	if (count > 0) {
		connections[count - 1] = NULL;
		count--;
	}
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	gate('a');
	acquire();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	drop();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	connections[0] = calloc(1, sizeof **connections);
	count = 1;
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
