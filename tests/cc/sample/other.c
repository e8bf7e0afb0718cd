#include "part.h"

int counter = 1;

int other(int n)
{
	counter += 2;
	return n * counter;
}
