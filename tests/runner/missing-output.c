/* norn-test
 * stdout: first
 * stdout: third
 * must-fail: 'third' is missing from the output
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
