/* norn-test
 * dump-count: 77 write
 * must-fail: lines of the dump match /write/, not 77
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
