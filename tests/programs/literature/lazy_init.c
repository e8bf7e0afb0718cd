/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference config predicted at lazy_init.c:\d+ level
 * silent: -DRIGHT
 */
/* It is said to be ready before it is there. */
#include "twin.h"

struct config {
	int level, size;
};
static struct config *config;
static int ready;

static void setup(void)
{
	struct config *c = malloc(sizeof *c);
	c->level = 3;
	c->size = 7;
	pthread_mutex_lock(&lock);
	if (!IS_RIGHT)
		ready = 1;
	gap();
	config = c;
	ready = 1;
	pthread_mutex_unlock(&lock);
}

static int level(void)
{
	pthread_mutex_lock(&lock);
	int r = ready;
	pthread_mutex_unlock(&lock);
	return r ? config->level : 0;
}

static void *one(void *unused)
{
	gate('a');
	setup();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	if (level() > 5)
		puts("high");
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
