/* Writes of every second element. */
#include "two.h"

struct pair {
	int a, b;
} s[64];

void one(void)
{
	for (int i = 0; i < 64; i++)
		s[i].a = i;
	if (k)
		s[9].b = 3;
}

void two(void)
{
	for (int i = 0; i < 64; i++)
		s[i].b = 1;
}
