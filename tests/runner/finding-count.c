/* norn-test
 * cc: -g -O0
 * prop: number.prop
 * finding-count: 2
 * must-fail: 1 findings, not 2
 */
#include <stdio.h>

int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
