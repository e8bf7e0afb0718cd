/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the flag */
#define LATE
#include "../flow.h"
static int no(void)
{
	return 0;
}
static int yes(void)
{
	return 1;
}
static int (*const volatile tab[])(void) = {no, yes};
static int flow(int v)
{
	return tab[v]();
}
