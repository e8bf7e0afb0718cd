/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: each thread writes only into blocks that it has just got from the table's malloc */
#include "correct.h"
static struct {
	void *(*get)(size_t);
	void *(*again)(void *, size_t);
	void (*put)(void *);
} mem;
static atomic_int all;
T(w)
{
	for (int i = 0; i < 20; i++) {
		char *b = mem.get(24);
		memset(b, i, 24);
		b = mem.again(b, 200);
		b[100] = b[3];
		atomic_fetch_add(&all, b[100]);
		mem.put(b);
		if (i % 7 == 0)
			J();
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	mem.get = malloc;
	mem.again = realloc;
	mem.put = free;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", all);
	return all != 380;
}
