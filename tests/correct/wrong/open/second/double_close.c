/* fd closed twice, the second close hits another thread's new descriptor, its write fails, assert(n == 1)
   Failing order: b opens between a's closes
   Shown with -DFAIL: assert yes */
#include "hostile.h"
static int fd;
void *a(void *q)
{
	close(fd);
	B(3000);
	close(fd);
	return 0;
}
void *b(void *q)
{
	G(3000);
	B(1000);
	int f = open("/dev/null", O_WRONLY);
	B(5000);
	ssize_t n = write(f, "x", 1);
	assert(n == 1);
	close(f);
	return 0;
}
int main(void)
{
	fd = open("/dev/zero", O_RDONLY);
	run2(a, b);
	return 0;
}
