/* norn-test
 * never: write
 * must-fail: which must never come
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
