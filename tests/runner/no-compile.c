/* norn-test
 * cc: --no-such-option
 * must-fail: plain compilation failed
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
