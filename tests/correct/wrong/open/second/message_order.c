/* two writers, one pipe; assert(c == 'A') on what read() gave
   Failing order: t2 writes first
   Shown with -DFAIL: assert yes */
#include "hostile.h"
static int p[2];
void *t1(void *q)
{
	B(3000);
	write(p[1], "A", 1);
	return 0;
}
void *t2(void *q)
{
	G(3000);
	write(p[1], "B", 1);
	return 0;
}
int main(void)
{
	pipe(p);
	pthread_t a, b;
	pthread_create(&a, 0, t1, 0);
	pthread_create(&b, 0, t2, 0);
	char c;
	read(p[0], &c, 1);
	assert(c == 'A');
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
