/* norn-test
 * exit: 3
 * must-fail: built by clang: exit status 0, not exit status 3
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
