/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: putenv keeps the program's text; it is changed in place under the lock under which getenv is called */
#define GUARDED
#include "hand.h"
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
