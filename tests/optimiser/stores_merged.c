/* Two conditional writes that become one. */
#include "two.h"

int x;

void one(void)
{
	if (k)
		x = 1;
	if (k > 1)
		x = 2;
}

void two(void)
{
	x = 1;
}
