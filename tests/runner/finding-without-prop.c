/* norn-test
 * finding: property small
 * must-fail: has no 'prop' line
 */
#include <stdio.h>

int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
