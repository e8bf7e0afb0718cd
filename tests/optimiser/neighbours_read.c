/* Reads of three neighbours, not of the fourth. */
#include "two.h"

struct {
	int a, b, c, d;
} s;

void one(void)
{
	result = s.a * 3 + s.b * 5 + s.c * 7;
	if (k)
		result += s.d;
}

void two(void)
{
	s.d = 1;
}
