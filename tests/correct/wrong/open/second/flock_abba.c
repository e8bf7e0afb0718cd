/* flock() and a mutex, ABBA
   Failing order: t1 flock, t2 mutex, each the other
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#include <sys/file.h>
MX(m);
static int x;
void *t1(void *q)
{
	int f = open("/tmp/hb/out/lockfile", O_RDWR | O_CREAT, 0600);
	flock(f, LOCK_EX);
	B(2000);
	LK(m);
	x++;
	UL(m);
	flock(f, LOCK_UN);
	close(f);
	return 0;
}
void *t2(void *q)
{
	G(2000);
	int f = open("/tmp/hb/out/lockfile", O_RDWR | O_CREAT, 0600);
	LK(m);
	x++;
	B(2000);
	flock(f, LOCK_EX);
	flock(f, LOCK_UN);
	UL(m);
	close(f);
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
