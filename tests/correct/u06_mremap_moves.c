/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a mapping that grows, and moves, under a lock; each thread has its own half of what is in it */
#define _GNU_SOURCE
#include "correct.h"
#include <sys/mman.h>
static int *at;
static size_t size = 4096;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
T(worker)
{
	int i = (int)(intptr_t)a;
	for (int k = 0; k < 6; k++) {
		L(m);
		if (k == 2 && i == 0) {
			void *new = mremap(at, size, size * 8, MREMAP_MAYMOVE);
			if (new == MAP_FAILED)
				abort();
			at = new;
			size *= 8;
		}
		at[i * 64 + k]++;
		U(m);
		J();
	}
	return 0;
}
int main(void)
{
	pthread_t x, y;
	int all = 0;
	at = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	GO(x, worker, 0);
	GO(y, worker, 1);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 128; i++)
		all += at[i];
	munmap(at, size);
	printf("%d\n", all);
	return all != 12;
}
