/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race compared (predicted|observed) at called_back.c:\d+ compare (read|write) by main/1, called_back.c:\d+ second write by main/2
 * silent: -DRIGHT
 */
/* A race in a function that libc calls back: where libc stands is not known, only who called it. */
#include <stdlib.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int compared;

__attribute__((noinline)) static int key(const int *number)
{
	return *number;
}

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	compared++;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	return key(a) - key(b);
}

static void *first(void *unused)
{
	gate('a');
	int numbers[] = {3, 1, 2};
	qsort(numbers, 3, sizeof *numbers, compare);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	compared = 0;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	(void)lock;
	return argc < 2 || play(argv, first, second, NULL);
}
