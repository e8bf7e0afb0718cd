/* norn-test
 * dump: \bno such line will ever come\b
 * must-fail: no line of the dump matches
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
