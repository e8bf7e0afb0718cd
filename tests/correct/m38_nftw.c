/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the walk finds the name after the data are written; the callback says so */
#include "hand.h"
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
static void init(void)
{
	mkdir("q", 0700);
}
static void set(void)
{
	close(open("q/x", O_CREAT | O_WRONLY, 0600));
}
static _Thread_local int found;
static int cb(const char *n, const struct stat *s, int t, struct FTW *f)
{
	(void)s;
	(void)f;
	if (t == FTW_F && !strcmp(n, "q/x"))
		found = 1;
	return 0;
}
static int seen(void)
{
	nftw("q", cb, 8, FTW_PHYS);
	return found;
}
