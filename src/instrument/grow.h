/* Memory that grows. Without any left the compiler itself aborts, and so does the pass. */
#ifndef NORN_INSTRUMENT_GROW_H
#define NORN_INSTRUMENT_GROW_H

#include <stdlib.h>

static inline void *norn_pass_grow(void *memory, size_t bytes)
{
	void *p = realloc(memory, bytes);
	if (!p)
		abort();
	return p;
}

#endif
