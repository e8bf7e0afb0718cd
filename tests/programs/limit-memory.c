/* norn-test
 * cc: -g -O1 -pthread
 * stdout: sum 28
 * dump: \blost\b
 */
/* A program that may map no more memory: Norn cannot keep track of all that it has. The program runs on, and the trace says so.
 * It maps its memory unseen, or Norn would have made room when it was mapped. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLACES 8

int main(void)
{
	volatile long *place[PLACES];
	struct rlimit limit = {1 << 20, 1 << 20};
	for (long i = 0; i < PLACES; i++) {
		void *at = (void *)(0x100000000000 + (i << 31));
		place[i] =
		        (long *)syscall(SYS_mmap, at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	setrlimit(RLIMIT_AS, &limit);
	long sum = 0;
	for (long i = 0; i < PLACES; i++)
		*place[i] = i;
	for (int i = 0; i < PLACES; i++)
		sum += *place[i];
	printf("sum %ld\n", sum);
	fflush(stdout);
}
