/* norn-test
 * cc: -g -O0
 * prop: number.prop
 * no-finding: yes
 * check-exit: 1
 * must-fail: there must be no finding, but: property small
 */
#include <stdio.h>

int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
