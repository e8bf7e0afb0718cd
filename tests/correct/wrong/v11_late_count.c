/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-free dev.refs predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a reference is taken when the object may be gone */
#include "alone.h"
struct dev {
	int refs;
	int data[4];
};
static struct dev *dev;
MUTEX(m);
static void get(struct dev *d)
{
	L(m);
	d->refs++;
	U(m);
}
static void put(struct dev *d)
{
	L(m);
	int z = --d->refs == 0;
	U(m);
	if (z)
		free(d);
}
T(ioctl_)
{
	struct dev *d = dev;
#ifndef FIXED
	get(d);
#endif
	for (int i = 0; i < 4; i++)
		d->data[i]++;
	put(d);
	return 0;
}
T(close_)
{
	put(dev);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	dev = calloc(1, sizeof *dev);
	dev->refs = 1;
#ifdef FIXED
	get(dev);
#endif
	GO(t, ioctl_, 0);
	settle();
	GO(u, close_, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
