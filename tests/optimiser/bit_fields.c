/* Bit-fields that are apart. */
#include "two.h"

struct {
	unsigned a : 5;
	unsigned : 0;
	unsigned b : 7;
} s;

void one(void)
{
	s.a = 3;
	if (k)
		s.b = 4;
}

void two(void)
{
	s.b = 1;
}
