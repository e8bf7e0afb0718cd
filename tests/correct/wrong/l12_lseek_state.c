/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <fcntl.h>
static int f;
static void init(void)
{
	f = open("f", O_CREAT | O_RDWR, 0600);
}
static void set(void)
{
	lseek(f, 10, SEEK_SET);
}
static int seen(void)
{
	return lseek(f, 0, SEEK_CUR) == 10;
}
