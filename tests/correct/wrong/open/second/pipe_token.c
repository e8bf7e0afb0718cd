/* token in a pipe used as a lock hides an unlocked x (a semaphore: found, wrong/h_sem.c)
   Failing order: t2 takes the token first
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
static int p[2];
static int x, n;
static void lock(void)
{
	char c;
	read(p[0], &c, 1);
}
static void unlock(void)
{
	write(p[1], "t", 1);
}
void *t1(void *q)
{
	B(3000);
	x = 1;
	lock();
	n++;
	unlock();
	return 0;
}
void *t2(void *q)
{
	G(3000);
	lock();
	n++;
	unlock();
	return (void *)(long)x;
}
int main(void)
{
	pipe(p);
	unlock();
	run2(t1, t2);
	return 0;
}
