#include <stdio.h>

#include "part.h"

#ifndef ANSWER
#define ANSWER 42
#endif

int main(void)
{
	printf("%d %d\n", other(ANSWER), counter);
	return counter;
}
