/* (-O0) pointer inside a struct that is copied (x = g), then followed: null dereference found at -O1/-O2 only; a_bitfield.c, a_optional.cc, a_size.cc, r_packet.c: the same
   Failing order: use before set
   Shown with -DFAIL: exit yes */
#include "hostile.h"
struct conf {
	int port;
	char *host;
};
struct ctx {
	struct conf *c;
	int id;
};
MX(m);
static struct ctx g;
static struct conf conf0 = {80, "h"};
static int port(struct conf *c)
{
	return c->port;
}
static int show(struct ctx x)
{
	return port(x.c) + x.id;
}
void *set(void *p)
{
	B(2000);
	LK(m);
	g.c = &conf0;
	UL(m);
	return 0;
}
void *use(void *p)
{
	G(2000);
	struct ctx x;
	LK(m);
	x = g;
	UL(m);
	printf("%d\n", show(x));
	return 0;
}
int main(void)
{
	run2(set, use);
	return 0;
}
