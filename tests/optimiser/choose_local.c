/* A choice of addresses, one of a local variable. */
#include "two.h"

int x;

void one(void)
{
	int local = 7;
	result = *(k ? &x : &local);
}

void two(void)
{
	x = 1;
}
