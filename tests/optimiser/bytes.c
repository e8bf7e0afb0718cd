/* Bytes that are put together to a number. */
#include "two.h"

unsigned char b[8];

void one(void)
{
	result = b[0] | b[1] << 8 | b[2] << 16;
	if (k)
		result |= b[3] << 24;
}

void two(void)
{
	b[3] = 1;
}
