/* norn-test
 * cc: -g -O0
 * prop: number.prop
 * finding: property small .violated. observed at check-note.c:\d+ main by main for - x1: number is 2$
 * note: the moon
 * must-fail: norn check does not say /the moon/
 */
#include <stdio.h>

int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
