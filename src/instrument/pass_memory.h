/* Memory of the pass, which grows. Without any left the compiler itself aborts, and so does the pass. */
#ifndef NORN_INSTRUMENT_PASS_MEMORY_H
#define NORN_INSTRUMENT_PASS_MEMORY_H

#include <stdlib.h>

static inline void *norn_pass_grow(void *memory, size_t bytes)
{
	void *p = realloc(memory, bytes);
	if (!p)
		abort();
	return p;
}

#endif
