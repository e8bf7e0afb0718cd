/* A pointer argument that becomes a value: read by the caller. */
#include "two.h"

int x;
static __attribute__((noinline)) int read_if(const int *p, int wanted)
{
	return wanted ? *p : 7;
}

void one(void)
{
	result = read_if(&x, k);
}

void two(void)
{
	x = 1;
}
