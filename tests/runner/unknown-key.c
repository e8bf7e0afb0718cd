/* norn-test
 * sdtout: first
 * must-fail: 'sdtout: first' is not understood
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
