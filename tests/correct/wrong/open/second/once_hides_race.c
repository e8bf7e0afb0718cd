/* pthread_once: who comes first runs the routine; the roles are never exchanged, x before it counts as ordered (static variable of a function: wrong/h_static.cc)
   Failing order: t2 runs the routine first
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
static pthread_once_t o = PTHREAD_ONCE_INIT;
static int x, n;
static void init(void)
{
	n = 1;
}
void *t1(void *q)
{
	B(3000);
	x = 1;
	pthread_once(&o, init);
	return 0;
}
void *t2(void *q)
{
	G(3000);
	pthread_once(&o, init);
	return (void *)(long)x;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
