/* norn-test
 * cc: -g -O0
 * prop: number.prop
 * must-fail: norn check: exit status 1, not exit status 0
 */
#include <stdio.h>

int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
