/* norn-test
 * silent: -DAGAIN
 * silent: -DPART
 * silent: -DTWICE
 * unjudged: -DTWICE
 * silent: -DPROCESS
 * unjudged: -DPROCESS
 */
/* Mapped memory: an address that is mapped again is another variable, and what is mapped twice is the same. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"

enum { BYTES = 3 * 4096 };

#if defined(AGAIN) || defined(PART)
static char *map(void)
{
	char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		abort();
	return memory;
}

/* One after the other, though nothing says so. */
static void *work(void *argument)
{
	for (int i = 0; i < 3; i++) {
		char *memory = map();
		for (int at = 0; at < BYTES; at += 512)
			memory[at] = (char)number_of(argument);
#ifdef PART
		munmap(memory + 4096, 4096);
		memory[0] = 1;
		munmap(memory, 4096);
		munmap(memory + 8192, 4096);
#else
		munmap(memory, BYTES);
#endif
	}
	return NULL;
}

int main(void)
{
	crew(2, work);
	crew(2, work);
	return 0;
}
#else
static int shared;
static atomic_int *here, *there;

static void *work(void *argument)
{
	if (number_of(argument) == 0) {
		usleep(2000);
		shared = 4;
		atomic_store(here, 1);
	} else {
		while (!atomic_load(there))
			sched_yield();
		shared++;
	}
	return NULL;
}

int main(void)
{
#ifdef TWICE
	int fd = memfd_create("twice", 0);
	if (fd < 0 || ftruncate(fd, BYTES) != 0)
		return 1;
	here = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	there = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (here == MAP_FAILED || there == MAP_FAILED)
		return 1;
	crew(2, work);
#else
	here = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (here == MAP_FAILED)
		return 1;
	there = here + 64;
	pid_t child = fork();
	if (child == 0) {
		while (!atomic_load(here))
			sched_yield();
		atomic_store(there, 1);
		_exit(0);
	}
	crew(2, work);
	waitpid(child, NULL, 0);
#endif
	return shared == 5 ? 0 : 1;
}
#endif
