/* One case of a switch. */
#include "two.h"

int x, y;

void one(void)
{
	switch (k) {
	case 0:
		result = 3;
		break;
	case 1:
		result = x;
		break;
	default:
		result = y;
	}
}

void two(void)
{
	x = 1;
}
