/* A text that ends early. */
#include "two.h"

char text[32] = "abc";
char *at = text;

void one(void)
{
	int n = 0;
	while (at[n])
		n++;
	if (k)
		n += at[17];
	result = n;
}

void two(void)
{
	text[17] = 1;
}
