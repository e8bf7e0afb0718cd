/* fork() while another thread holds the lock; the child takes it
   Failing order: fork inside t1's region
   Shown with -DFAIL: hang yes */
#include "hostile.h"
MX(m);
static int x;
void *t1(void *q)
{
	LK(m);
	x++;
	B(5000);
	UL(m);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, t1, 0);
	G(3000);
	B(1000);
	pid_t c = fork();
	if (c == 0) {
		LK(m);
		x++;
		UL(m);
		_exit(0);
	}
	waitpid(c, 0, 0);
	pthread_join(t, 0);
	return 0;
}
