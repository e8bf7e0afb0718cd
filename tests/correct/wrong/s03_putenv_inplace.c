/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#define GUARDED
#include "../hand.h"
static char text[] = "NORN_S=0";
static void init(void)
{
	putenv(text);
}
static void set(void)
{
	text[7] = '1';
}
static int seen(void)
{
	return *secure_getenv("NORN_S") == '1';
}
