/* An action that leaves by a jump: the next violation is acted upon, too; within the action nothing is. */
#include <setjmp.h>
#include <stdio.h>

volatile int level;
static int leaps, deep;
static jmp_buf above;

__attribute__((noinline)) void leap(void)
{
	jmp_buf inside;
	volatile int times = 0;
	deep++;
	if (setjmp(inside) == 0)
		longjmp(inside, 1); /* does not leave the action */
	level = 200;
	times++;
	deep--;
	leaps += times;
	longjmp(above, 1);
}

__attribute__((noinline)) static void work(void)
{
	level = 0;
	level = 100;
	printf("not reached\n");
}

int main(void)
{
	for (volatile int i = 0; i < 3; i++)
		if (setjmp(above) == 0)
			work();
	if (setjmp(above) == 0) {
		level = 0;
		level = 100; /* in the very function that it jumps to */
	}
	printf("leaps %d, deep %d, level %d\n", leaps, deep, level);
	return 0;
}
