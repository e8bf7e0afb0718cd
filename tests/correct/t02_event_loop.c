/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/t-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: threads post what they have made to a loop, which alone counts; it sleeps by a futex of its own */
#include "correct.h"
#include "t-part.h"
static int made[8], total;
static void count(int i, int n)
{
	total += made[i] * n;
	made[i] = 0;
}
T(w)
{
	int first = (int)(intptr_t)a * 4;
	for (int i = first; i < first + 4; i++) {
		made[i] = i;
		t_post(count, i, 2);
		J();
	}
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	t_loop(8);
	printf("%d\n", total);
	WAIT(x);
	WAIT(y);
	return total != 56;
}
