/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the flag */
#define LATE
#include "../flow.h"
static int flow(int v)
{
	char b[16];
	snprintf(b, sizeof b, "<%d>", v);
	return strcmp(b, "<1>") == 0;
}
