/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 400 places of 512 GiB, 32 TiB reserved, 6 fixed addresses
 * timeout: 60
 */
/* Addresses by the terabyte, of which hardly any is used, and addresses that a program takes where it wants them: what Norn keeps of them costs as much as what is used. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define GIB (1ul << 30)
#define TIMES 200

static char *reserve;
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *first)
{
	for (long i = 0; i < TIMES; i++) {
		long *place = (long *)(reserve + (2 * i + (long)first) * GIB);
		*place = i;
		pthread_mutex_lock(&lock);
		used += *place == i;
		pthread_mutex_unlock(&lock);
	}
	return first;
}

static void *add(void *word)
{
	++*(int *)word;
	return word;
}

static void in_two(void *(*run)(void *), void *first, void *second)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, run, first);
	pthread_create(&threads[1], NULL, run, second);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static char *map(unsigned long at, unsigned long bytes, int protection, int flags)
{
	char *memory = mmap((void *)at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

int main(void)
{
	static const unsigned long wanted[] = {
	        0x100000000, 0x7fff8000, 0x100000000000, 0x200000000000, 0x400000000000, 0x600000000000};
	int right = 0;
	reserve = map(0, 512 * GIB, PROT_READ | PROT_WRITE, 0);
	if (reserve)
		in_two(use, (void *)0, (void *)1);
	munmap(reserve, 512 * GIB);
	char *more = map(0, 32768 * GIB, PROT_NONE, 0);
	if (more)
		munmap(more, 32768 * GIB);
	for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		int *memory = (int *)map(wanted[i], 8192, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);
		if (!memory)
			continue;
		in_two(add, &memory[1], &memory[2]);
		right += memory[1] == 1 && memory[2] == 1;
		munmap(memory, 8192);
	}
	printf("%d places of 512 GiB, %s, %d fixed addresses\n", used, more ? "32 TiB reserved" : "none", right);
	return 0;
}
