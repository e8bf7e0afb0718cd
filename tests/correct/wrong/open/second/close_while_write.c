/* close(fd) and write(fd) of two threads, nothing orders them (ThreadSanitizer: race 3 of 3)
   Failing order: c before w
   Shown with -DFAIL: exit yes */
#include "hostile.h"
static int fd;
void *w(void *q)
{
	B(3000);
	if (write(fd, "x", 1) != 1)
		abort();
	return 0;
}
void *c(void *q)
{
	G(3000);
	close(fd);
	return 0;
}
int main(void)
{
	fd = open("/dev/null", O_WRONLY);
	run2(w, c);
	return 0;
}
