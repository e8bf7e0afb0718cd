/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^use-after-free (block|node).value predicted .* release free by main/2, .* use (read|write|rmw) by main/1
 * silent: -DRIGHT
 */
/* One thread uses the block while it is there; nothing keeps the other one from freeing it before. */
#include <stdlib.h>

#include "../sliced/cast.h"

struct node {
	int value;
};
static struct node *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int uses, result;

static void use(void)
{
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	uses++;
	if (block)
		result = block->value;
	pthread_mutex_unlock(&lock);
#else
	result = block->value;
	pthread_mutex_lock(&lock);
	uses++;
	pthread_mutex_unlock(&lock);
#endif
}

static void release(void)
{
	pthread_mutex_lock(&lock);
	uses++;
#ifdef RIGHT
	free(block);
	block = NULL;
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_unlock(&lock);
	free(block);
#endif
}

static void *one(void *unused)
{
	gate('a');
	use();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	release();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	block = malloc(sizeof *block);
	block->value = 7;
	return argc < 2 || play(argv, one, two, NULL) || result != 7;
}
