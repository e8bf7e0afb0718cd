/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the program's own malloc gives each caller memory of its own */
#include "correct.h"
static char heap[1 << 22] __attribute__((aligned(16)));
static atomic_size_t used;
void *malloc(size_t n)
{
	size_t at = atomic_fetch_add(&used, ((n + 15) & ~15ul) + 16);
	if (at + n + 16 > sizeof heap)
		return 0;
	*(size_t *)(heap + at) = n;
	return heap + at + 16;
}
void free(void *q)
{
	(void)q;
}
void *calloc(size_t a, size_t b)
{
	return malloc(a * b);
}
void *realloc(void *q, size_t n)
{
	void *r = malloc(n);
	if (q && r)
		memcpy(r, q, ((size_t *)q)[-2] < n ? ((size_t *)q)[-2] : n);
	return r;
}
T(w)
{
	int *v = 0, s = 0;
	for (int i = 1; i < 20; i++) {
		v = realloc(v, sizeof *v * (size_t)i);
		v[i - 1] = i;
		s += v[0];
	}
	free(v);
	(void)a;
	return (void *)(intptr_t)s;
}
int main(void)
{
	pthread_t x, y;
	void *r, *s;
	GO(x, w, 0);
	GO(y, w, 0);
	pthread_join(x, &r);
	pthread_join(y, &s);
	printf("%d\n", (int)(intptr_t)r + (int)(intptr_t)s);
	return 0;
}
