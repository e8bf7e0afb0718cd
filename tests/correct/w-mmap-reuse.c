/* norn-test
 * silent:
 * unjudged:
 */
/* Threads map, write, hand over, unmap and map again at what may be the same address; one page is moved by mremap, one is protected and unprotected. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static sem_t full, empty;
static int *page;
static void *map(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		abort();
	return p;
}
static void *producer(void *arg)
{
	for (int i = 0; i < 6; i++) {
		int *p = map();
		for (int k = 0; k < 8; k++) {
			assert(p[k] == 0);
			p[k] = i * k;
		}
		if (i % 2) {
			p = mremap(p, 4096, 8192, MREMAP_MAYMOVE);
			if (p == MAP_FAILED)
				abort();
			p[1024] = i;
		}
		if (mprotect(p, 4096, PROT_READ))
			abort();
		sem_wait(&empty);
		page = p;
		sem_post(&full);
	}
	return arg;
}
static void *consumer(void *arg)
{
	long sum = 0;
	for (int i = 0; i < 6; i++) {
		sem_wait(&full);
		int *p = page;
		page = NULL;
		sem_post(&empty);
		for (int k = 0; k < 8; k++) {
			assert(p[k] == i * k);
			sum += p[k];
		}
		if (mprotect(p, 4096, PROT_READ | PROT_WRITE))
			abort();
		p[0] = 99;
		if (i % 2)
			assert(p[1024] == i);
		munmap(p, i % 2 ? 8192 : 4096);
	}
	*(long *)arg = sum;
	return NULL;
}
int main(void)
{
	long sum = 0;
	pthread_t a, b;
	sem_init(&full, 0, 0);
	sem_init(&empty, 0, 1);
	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, &sum);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld\n", sum);
	return 0;
}
