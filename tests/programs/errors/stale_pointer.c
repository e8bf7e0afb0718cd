/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DGROW
 * cc: -DDROP
 * finding: ^use-after-free .* predicted at stale_pointer.c:\d+ (grow|drop) free by main/2, stale_pointer.c:\d+ first read by main/1
 * finding-count: 1
 * silent: -DGROW -DRIGHT
 * silent: -DDROP -DRIGHT
 */
/* Holds the lock where it uses the block, in a function called there, but has got the pointer in another region. The other thread lets realloc move the block, or frees it. */
#include <stdlib.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *volatile data;
int sum;

__attribute__((noinline)) static int first(const int *values)
{
	return values[0];
}

static void *one(void *unused)
{
	gate('a');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	int *mine = data;
#else
	pthread_mutex_lock(&lock);
	int *mine = data;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (mine)
		sum += first(mine);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

#ifdef GROW
static void grow(void)
{
	data = realloc(data, 1 << 20);
}
#define CHANGE grow
#else
static void drop(void)
{
	free(data);
	data = NULL;
}
#define CHANGE drop
#endif

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	CHANGE();
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	data = malloc(64);
	if (!data)
		return 1;
	data[0] = 3;
	return argc < 2 || play(argv, one, two, NULL) || sum != 3;
}
