/* Threads that allocate and free all the time, and count under a lock; if told to, without. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int heap_calls;
volatile int counter, flag;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int bare;
static int mended;

/* May run wherever a thread comes to know of it, inside of the heap's lock as well: allocates nothing. */
__attribute__((noinline)) void mend(void)
{
	mended++;
}

__attribute__((noinline)) void add(int by)
{
	counter += by;
}

static void count(int by)
{
	if (!bare)
		pthread_mutex_lock(&guard);
	add(by);
	if (!bare)
		pthread_mutex_unlock(&guard);
}

static void *work(void *unused)
{
	char *kept = NULL;
	for (int i = 0; i < 300; i++) {
		char *text = strdup("text");
		kept = realloc(kept, (size_t)i + 1);
		kept[i] = text[i % 4];
		count(1);
		free(text);
	}
	free(kept);
	flag = bare;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	bare = argc > 1 && argv[1][0] == 'b';
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++)
			if (pthread_create(&threads[i], NULL, work, NULL) != 0)
				return 1;
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	printf("%s, own heap %s, mended %s\n", bare || counter == 3600 ? "counted" : "lost", heap_calls > 5000 ? "used" : "unused",
	        mended ? "yes" : "no");
	return 0;
}
