/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the directory has the name after the data are written */
#include "hand.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
static void init(void)
{
	mkdir("q", 0700);
}
static void set(void)
{
	close(open("q/x", O_CREAT | O_WRONLY, 0600));
}
static int seen(void)
{
	int n = 0;
	DIR *r = opendir("q");
	for (struct dirent *e; (e = readdir(r));)
		n += e->d_name[0] == 'x';
	closedir(r);
	return n;
}
