/* norn-test
 * cc: -g -O0
 * prop: number.prop
 * finding: property other
 * must-fail: no finding matches /property other/; found: property small
 */
#include <stdio.h>

int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
