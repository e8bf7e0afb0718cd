/* Large tables that are looked into at random: in pages of 2 MiB, where the kernel has them, a look costs a third less. */
#ifndef NORN_BASE_HUGE_PAGES_H
#define NORN_BASE_HUGE_PAGES_H

#include <stddef.h>

/* Advice on memory from malloc, before it is touched for the first time; nothing is owed for it. Below 4 MiB it
 * does nothing. */
void norn_huge(void *memory, size_t bytes);
/* As norn_must_realloc, but never less, and new bytes are zero; large memory is moved to such pages. */
void *norn_huge_grow(void *old, size_t old_bytes, size_t bytes);

#endif
