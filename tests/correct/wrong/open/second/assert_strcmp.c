/* assert(strcmp(state, "ready") == 0) under the lock (also strlen: wrong/s_strlen.c, memcmp: wrong/a_memcmp.c)
   Failing order: use before init
   Shown with -DFAIL: assert yes */
#include "hostile.h"
MX(m);
static char state[16] = "starting";
void *init(void *p)
{
	B(3000);
	LK(m);
	strcpy(state, "ready");
	UL(m);
	return 0;
}
void *use(void *p)
{
	G(3000);
	LK(m);
	assert(strcmp(state, "ready") == 0);
	UL(m);
	return 0;
}
int main(void)
{
	run2(init, use);
	return 0;
}
