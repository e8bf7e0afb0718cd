/* Every second element: vectors have the others, too. */
#include "two.h"

struct pair {
	int a, b;
} s[64];

void one(void)
{
	int sum = 0;
	for (int i = 0; i < 64; i++)
		sum += s[i].a;
	if (k)
		sum += s[9].b;
	result = sum;
}

void two(void)
{
	for (int i = 0; i < 64; i++)
		s[i].b = 1;
}
