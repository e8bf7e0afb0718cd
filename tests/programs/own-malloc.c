/* norn-test
 * cc: -g -O1 -pthread
 * stdout: own: yes, 400, zeroed 1, moved 1
 */
/* A program with a malloc and a pthread_mutex_lock of its own: they are what it and libc call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(16) char room[8 << 20];
static atomic_size_t used;
static atomic_int calls, locks;

void *malloc(size_t bytes)
{
	size_t whole = (bytes + 31) & ~(size_t)15, at = atomic_fetch_add(&used, whole);
	calls++;
	if (at + whole > sizeof room)
		return NULL;
	*(size_t *)(room + at) = bytes;
	return room + at + 16;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t count, size_t bytes)
{
	void *block = malloc(count * bytes);
	return block ? memset(block, 0, count * bytes) : NULL;
}

void *realloc(void *block, size_t bytes)
{
	void *other = malloc(bytes);
	if (block && other) {
		size_t before = ((size_t *)block)[-2];
		memcpy(other, block, before < bytes ? before : bytes);
	}
	return other;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*real)(pthread_mutex_t *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	locks++;
	return real(mutex);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused)
{
	for (int i = 0; i < 100; i++) {
		int *block = malloc(sizeof *block);
		*block = 1;
		pthread_mutex_lock(&mutex);
		count += *block;
		pthread_mutex_unlock(&mutex);
		free(block);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	char *zeroed = calloc(10, 10), *text = strdup("moved");
	char *moved = realloc(text, 1000);
	printf("own: %s, %d, zeroed %d, moved %d\n", calls >= 402 && locks == 400 ? "yes" : "no", count, zeroed[99] == 0,
	        strcmp(moved, "moved") == 0 && moved != text);
	return 0;
}
