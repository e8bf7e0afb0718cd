/* read() of a socketpair with the lock that the writer needs (pipe: found); the same with eventfd, message queue, poll(), fgets, waitpid: wrong/d_eventfd.c d_msgq.c d_poll.c d_fgets.c d_wait.c
   Failing order: t2 before t1
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#include <sys/socket.h>
MX(m);
static int p[2];
static int x;
void *t1(void *q)
{
	B(2000);
	LK(m);
	x++;
	UL(m);
	write(p[1], "x", 1);
	return 0;
}
void *t2(void *q)
{
	G(2000);
	char c;
	LK(m);
	x++;
	read(p[0], &c, 1);
	UL(m);
	return 0;
}
int main(void)
{
	socketpair(AF_UNIX, SOCK_STREAM, 0, p);
	run2(t1, t2);
	return 0;
}
