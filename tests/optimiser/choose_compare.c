/* A choice of addresses, compared. */
#include "two.h"

int x;

void one(void)
{
	int local = 4;
	result = *(k ? &x : &local) > 3 ? 1 : 2;
}

void two(void)
{
	x = 1;
}
