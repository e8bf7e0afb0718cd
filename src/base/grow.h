/* Arrays that grow as things are added to them. */
#ifndef NORN_BASE_GROW_H
#define NORN_BASE_GROW_H

#include <stddef.h>
#include <stdint.h>

/* The slow path of norn_grow: the array is too small. */
int norn_grow_more(void *array, uint64_t count, uint32_t *room, size_t bytes);

/* Room for count elements of so many bytes, and perhaps more: array is the address of a pointer to room of them, NULL and 0 at
 * first. The caller frees it.
 * 0, or -ENOMEM and all is as before. */
static inline int norn_grow(void *array, uint64_t count, uint32_t *room, size_t bytes)
{
	return count <= *room ? 0 : norn_grow_more(array, count, room, bytes);
}

#endif
