/* A comparison that ends early. */
#include "two.h"

int a[32], b[32] = {0, 0, 0, 1};

void one(void)
{
	int i = 0;
	while (i < 32 && a[i] == b[i])
		i++;
	if (k)
		i += a[9];
	result = i;
}

void two(void)
{
	a[9] = 5;
}
