/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#define GUARDED
#include "../hand.h"
#include <locale.h>
#include <langinfo.h>
static void init(void)
{
}
static void set(void)
{
	if (!setlocale(LC_ALL, "C.UTF-8"))
		abort();
}
static int seen(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}
