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
		n += at[7];
	result = n;
}

void two(void)
{
	text[7] = 1;
}
