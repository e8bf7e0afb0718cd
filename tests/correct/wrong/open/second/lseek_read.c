/* lseek and read of one descriptor by two threads, assert on what was read
   Failing order: t2 between t1's lseek and read
   Shown with -DFAIL: assert yes */
#include "hostile.h"
static int fd;
void *t1(void *q)
{
	char c;
	lseek(fd, 0, SEEK_SET);
	B(3000);
	read(fd, &c, 1);
	assert(c == 'a');
	return 0;
}
void *t2(void *q)
{
	G(3000);
	B(1000);
	char c;
	lseek(fd, 1, SEEK_SET);
	read(fd, &c, 1);
	return 0;
}
int main(void)
{
	fd = open("/tmp/hb/out/lseek.tmp", O_CREAT | O_RDWR | O_TRUNC, 0600);
	write(fd, "ab", 3);
	run2(t1, t2);
	return 0;
}
