/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#define GUARDED
#include "../hand.h"
static int flag;
static void init(void)
{
}
static void set(void)
{
	int a;
	sscanf("12 34", "%d%n", &a, &flag);
}
static int seen(void)
{
	return flag == 2;
}
