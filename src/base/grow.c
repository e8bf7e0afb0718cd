#include "base/grow.h"

#include <errno.h>
#include <stdlib.h>

#define LEAST 16u

int norn_grow_more(void *array, uint64_t count, uint32_t *room, size_t bytes)
{
	uint64_t more = *room + *room / 2 + UINT64_C(1);
	if (more < LEAST)
		more = LEAST;
	if (more < count)
		more = count;
	if (more > UINT32_MAX)
		more = count;
	void **place = array;
	void *bigger = more > UINT32_MAX ? NULL : realloc(*place, more * bytes);
	if (!bigger)
		return -ENOMEM;
	*place = bigger;
	*room = (uint32_t)more;
	return 0;
}
