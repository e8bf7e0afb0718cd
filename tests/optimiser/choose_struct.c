/* A choice of structs. */
#include "two.h"

struct pair {
	int a, b;
} s;

void one(void)
{
	struct pair local = {1, 2};
	struct pair *p = k ? &s : &local;
	result = p->a + p->b;
}

void two(void)
{
	s.b = 1;
}
