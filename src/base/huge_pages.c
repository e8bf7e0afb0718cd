#include "base/huge_pages.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/must.h"

#define PAGE ((uintptr_t)2 << 20)

void norn_huge(void *memory, size_t bytes)
{
	uintptr_t first = ((uintptr_t)memory + PAGE - 1) & ~(PAGE - 1), end = ((uintptr_t)memory + bytes) & ~(PAGE - 1);
	if (memory && bytes >= 2 * PAGE && first < end)
		madvise((void *)first, end - first, MADV_HUGEPAGE);
}

void *norn_huge_grow(void *old, size_t old_bytes, size_t bytes)
{
	assert(old_bytes <= bytes);
	char *grown;
	if (bytes < 2 * PAGE) {
		grown = norn_must_realloc(old, bytes, 1);
	} else {
		grown = norn_must(aligned_alloc(PAGE, (bytes + PAGE - 1) & ~(PAGE - 1)));
		norn_huge(grown, bytes);
		if (old_bytes)
			memcpy(grown, old, old_bytes);
		free(old);
	}
	memset(grown + old_bytes, 0, bytes - old_bytes);
	return grown;
}
