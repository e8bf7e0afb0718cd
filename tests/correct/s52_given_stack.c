/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the memory that was a thread's stack is another thread's data when it has ended */
#include "correct.h"
#define SIZE (256 * 1024)
static char *stack;
static int sum;
T(first)
{
	volatile char here[2000];
	memset((char *)here, 1, sizeof here);
	sum += here[77];
	return a;
}
T(second)
{
	for (int i = 0; i < SIZE; i += 512)
		stack[i] = 2;
	return a;
}
int main(void)
{
	pthread_t x;
	pthread_attr_t at;
	stack = aligned_alloc(4096, SIZE);
	for (int i = 0; i < 2; i++) {
		pthread_attr_init(&at);
		pthread_attr_setstack(&at, stack, SIZE);
		pthread_create(&x, &at, first, 0);
		WAIT(x);
		pthread_attr_destroy(&at);
		GO(x, second, 0);
		WAIT(x);
	}
	free(stack);
	printf("%d\n", sum);
	return sum != 2;
}
