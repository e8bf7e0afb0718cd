/* A struct argument that becomes values. */
#include "two.h"

struct pair {
	int a, b;
} s;
static __attribute__((noinline)) int sum_if(const struct pair *p, int wanted)
{
	return p->a + (wanted ? p->b : 0);
}

void one(void)
{
	result = sum_if(&s, k);
}

void two(void)
{
	s.b = 1;
}
