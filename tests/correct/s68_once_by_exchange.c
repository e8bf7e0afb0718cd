/* norn-test
 * silent:
 * silent: -O3
 */
/* Correct: a pointer is put in place by compare and exchange; who loses frees his own */
#include "correct.h"
struct box {
	int v;
};
static _Atomic(struct box *) shared;
static struct box *get(int v)
{
	struct box *b = atomic_load(&shared), *none = 0;
	if (b)
		return b;
	b = malloc(sizeof *b);
	b->v = v;
	if (atomic_compare_exchange_strong(&shared, &none, b))
		return b;
	free(b);
	return none;
}
T(w)
{
	struct box *b = get((int)(intptr_t)a);
	return (void *)(intptr_t)(b->v != 1 && b->v != 2);
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 1);
	GO(y, w, 2);
	WAIT(x);
	WAIT(y);
	printf("%d\n", shared->v > 0);
	free(shared);
	return 0;
}
