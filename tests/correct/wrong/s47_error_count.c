/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#define GUARDED
#include "../hand.h"
#include <error.h>
static void init(void)
{
}
static void set(void)
{
	error(0, 0, "said");
}
static int seen(void)
{
	return error_message_count == 1;
}
