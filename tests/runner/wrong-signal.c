/* norn-test
 * exit: signal 6
 * must-fail: built by clang: exit status 0, not signal 6
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
