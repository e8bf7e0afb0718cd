/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the buffer is given back by another thread as soon as read has filled it */
#include "correct.h"
#include <sys/mman.h>
static int f[2];
static char *volatile q;
static atomic_int turn;
T(reader)
{
	for (int i = 0; i < 40; i++) {
		while (atomic_load(&turn) != 1)
			sched_yield();
		if (read(f[0], q, 1) != 1)
			abort();
		atomic_store(&turn, 2);
	}
	return a;
}
int main(void)
{
	pthread_t x;
	if (pipe(f))
		abort();
	GO(x, reader, 0);
	for (int i = 0; i < 40; i++) {
		q = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		atomic_store(&turn, 1);
		if (write(f[1], "x", 1) != 1)
			abort();
		while (atomic_load(&turn) != 2)
			sched_yield();
		munmap(q, 4096);
	}
	WAIT(x);
	puts("done");
	return 0;
}
