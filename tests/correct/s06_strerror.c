/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the message of an error number decides */
#include "flow.h"
static int flow(int v)
{
	char b[80];
	return strstr(strerror_r(v ? ENOENT : EPERM, b, sizeof b), "No such") != 0;
}
