/* norn-test
 * cc: -g -O1 -pthread -fno-builtin
 * stdout: 4 threads, 8000 blocks
 */
/* Blocks that wander between threads: allocated by one, written, resized and freed by another, their addresses soon used again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define ROUNDS 2000

static _Atomic(long *) mailbox[16];
static atomic_int freed;

static void drop(long *block)
{
	if (!block)
		return;
	if (block[0] != block[1])
		abort();
	free(block);
	freed++;
}

static void *work(void *argument)
{
	unsigned seed = *(unsigned *)argument;
	for (int i = 0; i < ROUNDS; i++) {
		seed = seed * 1103515245 + 12345;
		size_t size = 2 + seed / 65536 % 40;
		long *block = malloc(size * sizeof *block);
		block[0] = block[1] = i;
		if (i % 3 == 0) {
			block = realloc(block, size * 3 * sizeof *block);
			block[size] = 1;
		}
		drop(atomic_exchange(&mailbox[seed / 256 % 16], block));
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned seeds[THREADS] = {1, 2, 3, 4};
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &seeds[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 16; i++)
		drop(mailbox[i]);
	printf("%d threads, %d blocks\n", THREADS, freed);
	return 0;
}
