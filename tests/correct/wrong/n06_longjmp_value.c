/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the flag */
#define LATE
#include "../flow.h"
#include <setjmp.h>
static int flow(int v)
{
	jmp_buf b;
	int r = setjmp(b);
	if (!r)
		longjmp(b, v + 1);
	return r == 2;
}
