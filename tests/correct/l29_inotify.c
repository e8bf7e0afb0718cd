/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O1: race d, race *p predicted: a file is made in the watched directory, another thread reads inotify's descriptor.
 * Correct: the file is made after the data are written, and inotify tells of it */
#include "hand.h"
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
static int n;
static void init(void)
{
	mkdir("dir", 0700);
	n = inotify_init1(0);
	inotify_add_watch(n, "dir", IN_CREATE);
}
static void set(void)
{
	close(open("dir/x", O_CREAT | O_WRONLY, 0600));
}
static int seen(void)
{
	char b[512] __attribute__((aligned(8)));
	return read(n, b, sizeof b) > 0 && ((struct inotify_event *)b)->name[0] == 'x';
}
