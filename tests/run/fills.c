/* A race, then more events than a small disk holds, then it waits for a word. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int shared;
unsigned long words[1 << 12];

static void *run(void *unused)
{
	shared++;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	char byte;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (unsigned long i = 0, x = 1; i < TURNS; i++) {
		x = x * 6364136223846793005u + 1;
		words[x >> 52] = x;
	}
	return read(0, &byte, 1) < 0;
}
