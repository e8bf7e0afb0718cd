/* norn-test
 * stdout: second 2
 * stdout: first
 * must-fail: 'first' is missing from the output, or out of order
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
