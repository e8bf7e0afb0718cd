/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
static FILE *r, *w;
static void init(void)
{
	int f[2];
	if (pipe(f))
		abort();
	r = fdopen(f[0], "r");
	w = fdopen(f[1], "w");
}
static void set(void)
{
	fprintf(w, "line %d\n", 4);
	fflush(w);
}
static int seen(void)
{
	char *l = 0;
	size_t n = 0;
	int ok = getline(&l, &n, r) == 7 && l[5] == '4';
	free(l);
	return ok;
}
