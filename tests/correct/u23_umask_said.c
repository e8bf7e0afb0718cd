/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the mode of a file that was made tells what the umask was then, and the umask is changed after the data are written */
#define GUARDED
#include "hand.h"
#include <fcntl.h>
#include <sys/stat.h>
static int made;
static void init(void)
{
	umask(022);
}
static void set(void)
{
	umask(077);
}
static int seen(void)
{
	char name[64];
	struct stat st;
	snprintf(name, sizeof name, "/tmp/norn-u23-%d-%d", (int)getpid(), made++);
	int fd = open(name, O_CREAT | O_RDWR, 0666);
	fstat(fd, &st);
	close(fd);
	unlink(name);
	return !(st.st_mode & 044);
}
