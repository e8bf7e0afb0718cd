/* A machine of states, whose jumps are threaded. */
#include "two.h"

int x;

void one(void)
{
	int state = 0;
	for (int i = 0; i < rounds; i++)
		switch (state) {
		case 0:
			state = k ? 1 : 2;
			break;
		case 1:
			result += x;
			state = 2;
			break;
		default:
			state = 0;
		}
}

void two(void)
{
	x = 1;
}
