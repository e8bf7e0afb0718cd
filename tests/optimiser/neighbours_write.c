/* Writes of three neighbours, not of the fourth. */
#include "two.h"

struct {
	short a, b, c, d;
} s;

void one(void)
{
	s.a = 1;
	s.b = 2;
	s.c = 3;
	if (k)
		s.d = 4;
}

void two(void)
{
	s.d = 1;
}
