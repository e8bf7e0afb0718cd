#include "base/sort.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

void norn_sort_numbers(uint32_t *numbers, size_t count)
{
	if (count > 1)
		qsort(numbers, count, sizeof *numbers, ascending);
}
