/* norn-test
 * errors: yes
 * schedule: 21
 * no-finding: yes
 */
/* As ways_decide.c: what jumps, and what code without hooks calls. Norn knows nothing of either, and must not guess. (Not there, since it then takes all
 * that the thread has read for decisive.) */
#include "cast.h"

#include <setjmp.h>
#include <stdlib.h>

int xs[2], ys[2];

#define X(i) __atomic_load_n(&xs[i], __ATOMIC_SEQ_CST)
#define ALONE __attribute__((noinline)) static

static __thread jmp_buf place;

ALONE void jump(int k)
{
	if (!k)
		longjmp(place, 1);
}

ALONE void by_jump(void)
{
	if (setjmp(place))
		ys[0] = 1;
	else
		jump(X(0));
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

ALONE void by_sorting(void)
{
	int numbers[3] = {2, X(1), 1};
	qsort(numbers, 3, sizeof *numbers, compare);
	if (numbers[0] == 0)
		ys[1] = 1;
}

static void *one(void *unused)
{
	gate('1');
	by_jump();
	by_sorting();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	for (int i = 0; i < 2; i++) {
		ys[i] = 2;
		__atomic_store_n(&xs[i], 0, __ATOMIC_SEQ_CST);
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	xs[0] = xs[1] = 1;
	return argc < 2 || play(argv, one, two, NULL);
}
