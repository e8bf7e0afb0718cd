/* Memory of the runtime's own: the program's malloc must not be called from a hook, which may have interrupted it.
 *
 * The causality room, which was written with malloc, calloc, realloc and free, is built a second time for the runtime with these in
 * their place (meson.build), and so is the judge room. Safe for many threads; callers are inside a hook, so that no signal handler
 * interrupts. Small blocks come from powers of two, never given back to the system; large ones are mappings of their own, which
 * grow without being copied. */
#ifndef NORN_RUNTIME_HEAP_H
#define NORN_RUNTIME_HEAP_H

#include <stddef.h>

void *norn_heap_malloc(size_t bytes);
void *norn_heap_calloc(size_t count, size_t each);
void *norn_heap_realloc(void *block, size_t bytes);
void norn_heap_free(void *block);

#endif
