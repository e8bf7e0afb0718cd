/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch through a stream */
#include "flow.h"
static int flow(int v)
{
	FILE *f = tmpfile();
	fputc(v ? 'y' : 'n', f);
	rewind(f);
	int r = fgetc(f) == 'y';
	fclose(f);
	return r;
}
