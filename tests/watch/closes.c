/* Closes every descriptor, and uses their numbers: what is said must still arrive, and nothing must be written to the wrong files. */
#include <fcntl.h>
#include <norn.h>
#include <sys/stat.h>
#include <unistd.h>

volatile int x;

int main(void)
{
	struct stat st;
	for (int i = 3; i < 65536; i++)
		close(i);
	int first = open("out.file", O_RDWR | O_CREAT | O_TRUNC, 0600), last = first;
	for (int i = 0; i < 100; i++)
		last = dup(first);
	x = 1;
	norn_event("never", 1);
	x = 1000;
	return last < 0 || fstat(first, &st) != 0 || st.st_size != 0;
}
