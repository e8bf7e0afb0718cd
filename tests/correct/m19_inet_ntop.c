/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the text is made and read under a lock */
#define GUARDED
#include "hand.h"
#include <arpa/inet.h>
static char t[64];
static struct in_addr i4;
static void init(void)
{
}
static void set(void)
{
	inet_pton(AF_INET, "10.1.2.3", &i4);
	inet_ntop(AF_INET, &i4, t, sizeof t);
}
static int seen(void)
{
	return inet_addr(t[0] ? t : "0.0.0.1") == inet_addr("10.1.2.3");
}
