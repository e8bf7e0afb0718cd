/* Promotion: a field. */
#include "two.h"

struct {
	int a, b;
} s;

void one(void)
{
	for (int i = 0; i < rounds; i++) {
		s.a += i;
		if (k)
			s.b += i;
	}
}

void two(void)
{
	s.b = 1;
}
