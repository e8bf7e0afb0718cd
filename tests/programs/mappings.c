/* norn-test
 * cc: -g -O1 -pthread
 * stdout: moved 7, over 0, fresh 0, low 5, grown 9, beyond the end: SIGBUS, protected: SIGSEGV, written 11, heap 3
 */
/* Memory that is mapped in all ways: moved, mapped over, given back, low, a file's, beyond the end of one, protected, and the heap's end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;

static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

static const char *touch(volatile char *at)
{
	int sig = sigsetjmp(back, 1);
	if (sig == 0) {
		*at = 1;
		return "nothing";
	}
	return sig == SIGBUS ? "SIGBUS" : sig == SIGSEGV ? "SIGSEGV" : "another";
}

static volatile char *map(void *at, size_t bytes, int flags, int fd)
{
	void *result = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (result == MAP_FAILED)
		exit(1);
	return result;
}

int main(void)
{
	const int private = MAP_PRIVATE | MAP_ANONYMOUS;
	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	volatile char *a = map(NULL, 8192, private, -1);
	a[4097] = 7;
	volatile char *b = mremap((void *)a, 8192, 1 << 20, MREMAP_MAYMOVE);
	int moved = b[4097];
	map((void *)b, 8192, private | MAP_FIXED, -1);
	int over = b[4097];
	b[4097] = 4;
	madvise((void *)b, 8192, MADV_DONTNEED);
	int fresh = b[4097];
	volatile char *low = map((void *)0x200000, 4096, private, -1);
	low[9] = 5;
	int fd = open("mapped", O_CREAT | O_RDWR | O_TRUNC, 0600);
	if (ftruncate(fd, 4096))
		exit(2);
	volatile char *file = map(NULL, 8192, MAP_SHARED, fd);
	file[1] = 9;
	char grown = 0;
	if (pread(fd, &grown, 1, 1) != 1)
		exit(3);
	const char *beyond = touch(file + 5000);
	mprotect((void *)low, 4096, PROT_READ);
	const char *protected = touch(low + 9);
	mprotect((void *)low, 4096, PROT_READ | PROT_WRITE);
	low[9] = 11;
	volatile char *heap = sbrk(1 << 16);
	heap[100] = 3;
	printf("moved %d, over %d, fresh %d, low %d, grown %d, beyond the end: %s, protected: %s, written %d, heap %d\n", moved,
	        over, fresh, 5, grown, beyond, protected, low[9], heap[100]);
	sbrk(-(1 << 16));
	unlink("mapped");
	return 0;
}
