/* A choice of a choice. */
#include "two.h"

int x, y;

void one(void)
{
	int local = 2;
	result = *(k ? (rounds > 3 ? &x : &y) : &local);
}

void two(void)
{
	x = 1;
}
