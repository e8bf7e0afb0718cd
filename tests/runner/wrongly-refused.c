/* norn-test
 * verify: no
 * must-fail: should refuse this trace
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
