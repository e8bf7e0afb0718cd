/* norn-test
 * must-fail: not recorded: the output differs
 */
#include <stdio.h>

int main(void)
{
#ifdef __NORN__
	puts("built by norn cc");
#else
	puts("built by clang");
#endif
	return 0;
}
