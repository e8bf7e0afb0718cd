/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define GUARDED
#define LATE
#include "../hand.h"
#include <langinfo.h>
#include <locale.h>
static void init(void)
{
}
static void set(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		abort();
}
static int seen(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
