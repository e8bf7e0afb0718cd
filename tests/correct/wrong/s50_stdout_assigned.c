/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#define GUARDED
#include "../hand.h"
static FILE *mem, *real;
static char *text;
static size_t size;
static void init(void)
{
	real = stdout;
	mem = open_memstream(&text, &size);
}
static void set(void)
{
	stdout = mem;
	puts("x");
	fflush(stdout);
	stdout = real;
}
static int seen(void)
{
	return size == 2;
}
