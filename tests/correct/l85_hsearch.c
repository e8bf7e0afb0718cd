/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the table of hsearch is kept by libc, and used under a lock */
#define GUARDED
#include "hand.h"
#include <search.h>
static int v = 5;
static void init(void)
{
	hcreate(16);
}
static void set(void)
{
	hsearch((ENTRY){"go", &v}, ENTER);
}
static int seen(void)
{
	ENTRY *e = hsearch((ENTRY){"go", 0}, FIND);
	return e && *(int *)e->data == 5;
}
