/* A call through a pointer that becomes inline code. */
#include "two.h"

int x;
static int yes(void)
{
	return x;
}
static int no(void)
{
	return 4;
}
static int (*const ways[])(void) = {no, yes};

void one(void)
{
	result = ways[k]();
}

void two(void)
{
	x = 1;
}
