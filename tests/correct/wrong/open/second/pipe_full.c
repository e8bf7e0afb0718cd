/* write of 70000 bytes into a pipe under the reader's lock
   Failing order: w before r
   Shown with -DFAIL: hang yes */
#include "hostile.h"
MX(m);
static int p[2];
static char buf[70000];
static int x;
void *w(void *q)
{
	B(2000);
	LK(m);
	x++;
	write(p[1], buf, sizeof buf);
	UL(m);
	return 0;
}
void *r(void *q)
{
	char b[4096];
	B(4000);
	LK(m);
	x++;
	UL(m);
	size_t n = 0;
	while (n < sizeof buf) {
		ssize_t k = read(p[0], b, sizeof b);
		if (k <= 0)
			break;
		n += k;
	}
	return 0;
}
int main(void)
{
	pipe(p);
#ifdef FAIL
	run2(w, r);
#else
	pthread_t a, b;
	pthread_create(&b, 0, r, 0);
	usleep(3000);
	pthread_create(&a, 0, w, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
#endif
	return 0;
}
