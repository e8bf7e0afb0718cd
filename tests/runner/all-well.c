/* norn-test
 * run: one two
 * stdout: first
 * stdout: second 2
 * dump: write
 * verify: yes
 */
#include <stdio.h>

static int number = 1;

int main(void)
{
	number++;
	printf("first\nsecond %d\n", number);
	return 0;
}
