/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the code page that the program makes is called, and read by nobody */
#include "correct.h"
#include <sys/mman.h>
static int (*fn)(int);
static int r[2];
T(w)
{
	int i = (int)(intptr_t)a;
	r[i] = fn(i + 5);
	return 0;
}
int main(void)
{
	static const unsigned char code[] = {0x8d, 0x47, 0x01, 0xc3}; /* lea 1(%rdi), %eax; ret */
	void *q = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(q, code, sizeof code);
	mprotect(q, 4096, PROT_EXEC);
	memcpy(&fn, &q, sizeof fn);
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", r[0], r[1]);
	return 0;
}
