/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/t-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: the library calls readers together, and writers alone */
#include "correct.h"
#include "t-part.h"
static int value, seen[2];
static void use(int who, int writes)
{
	if (writes)
		value++;
	else
		seen[who] += value >= 0;
}
T(w)
{
	for (int i = 0; i < 4; i++) {
		t_exclusive(use, (int)(intptr_t)a);
		t_shared(use, (int)(intptr_t)a);
	}
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d\n", value);
	return value != 8;
}
