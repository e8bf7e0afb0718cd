/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the offset of the shared descriptor is moved after the data are written */
#include "hand.h"
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
