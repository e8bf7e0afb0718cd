/* norn-test
 * cc: -g -O0
 * prop: number.prop
 * never-finding: small
 * check-exit: 1
 * must-fail: a finding matches /small/, which must never come
 */
#include <stdio.h>

int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
